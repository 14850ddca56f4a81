// Ten thousand executors leave nothing behind.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Resident memory and threads before and after `count` executors in a process of their own. */
async function measure(body, count) {
  const code = `
    import { readdirSync } from 'node:fs';
    import { SESExecutor } from 'hotcell';
    const one = async () => { ${body} };
    const settle = async () => {
      for (let i = 0; i < 5; i++) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { rss: process.memoryUsage.rss(), threads: process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0 };
    };
    const many = async (count) => {
      for (let i = 0; i < count; i += 20) {
        await Promise.all(Array.from({ length: 20 }, one));
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    // First more at once than there will be later: the pool keeps their places, and how many of them are in use at a time
    // afterwards depends on when the collector comes.
    const held = Array.from({ length: 200 }, () => new SESExecutor());
    await Promise.all(held.map((executor) => executor.init()));
    await Promise.all(held.map((executor) => executor.run('1')));
    await Promise.all(held.map((executor) => executor.cleanup()));
    held.length = 0;
    await many(2000);
    const before = await settle();
    await many(${count});
    console.log(JSON.stringify([before, await settle()]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    cwd: new URL('.', import.meta.url),
    timeout: 300_000,
  });
  return JSON.parse(stdout);
}

const bodies = {
  'that are cleaned up': `
    const executor = new SESExecutor();
    await executor.init();
    await executor.sendTools({ add: (a, b) => a + b, later: async (n) => n });
    await executor.sendVariables({ list: [1, 2, 3] });
    await executor.run('let total = 0; for (const n of list) total = add(total, await later(n)); total');
    await executor.cleanup();`,
  'that are only dropped, with tools that hold on to them': `
    const executor = new SESExecutor({ onLog: () => executor });
    await executor.init();
    await executor.sendTools({ self: () => executor.state, never: () => new Promise(() => executor) });
    await executor.run('console.log(self()); never(); 1');`,
};

for (const [which, body] of Object.entries(bodies)) {
  test(`10,000 executors ${which} give their memory back`, async (t) => {
    const [before, after] = await measure(body, 10_000);
    t.diagnostic(`resident before ${(before.rss / 1e6).toFixed(1)} MB, after ${(after.rss / 1e6).toFixed(1)} MB; threads ${before.threads}, ${after.threads}`);
    assert.ok(after.rss <= before.rss * 1.1, `${before.rss} grew to ${after.rss}`);
    assert.ok(after.threads <= before.threads);
  });
}
