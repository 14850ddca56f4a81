import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SESExecutor } from 'hotcell';

const index = new URL('../index.cjs', import.meta.url).pathname;

function start(code) {
  return new Worker(
    `const { parentPort } = require('node:worker_threads');
     const { SESExecutor } = require(${JSON.stringify(index)});
     (async () => { ${code} })();`,
    { eval: true },
  );
}

const message = (worker) =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
const exit = (worker) => new Promise((resolve) => worker.once('exit', resolve));

test('several workers run at once, each with its own tools, and end by themselves', async () => {
  const outputs = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const worker = start(`
        const executor = new SESExecutor();
        await executor.init();
        await executor.sendTools({ sync: () => ${i}, later: async (n) => n + 1 });
        const { output } = await executor.run('let n = sync(); for (let i = 0; i < 100; i++) n = await later(n); n');
        parentPort.postMessage(output);`);
      const [output, code] = await Promise.all([message(worker), exit(worker)]);
      assert.equal(code, 0);
      return output;
    }),
  );
  assert.deepEqual(outputs, [100, 101, 102, 103, 104, 105]);
});

for (const [what, code] of Object.entries({
  'that computes': 'while (true) {}',
  'that waits for a tool': 'await never()',
  'that calls a tool over and over': 'while (true) again()',
  'that prints without end': 'while (true) console.log("x")',
})) {
  test(`a worker may be terminated in the middle of a run ${what}`, async () => {
    for (let i = 0; i < 5; i++) {
      const worker = start(`
        const executor = new SESExecutor({ maxOperations: 1e15, timeoutMs: 60000, maxToolCalls: 1e9, onLog() {} });
        await executor.init();
        await executor.sendTools({ never: () => new Promise(() => {}), again: () => 1 });
        executor.run(${JSON.stringify(code)}).catch(() => {});
        parentPort.postMessage('running');`);
      await message(worker);
      await new Promise((resolve) => setTimeout(resolve, i * 2));
      await worker.terminate();
    }
    // The pool is free again.
    const executor = new SESExecutor();
    await executor.init();
    assert.equal((await executor.run('6 * 7')).output, 42);
  });
}

test('a worker that ends does not take the others with it', async () => {
  const executor = new SESExecutor({ maxOperations: 1e9 });
  await executor.init();
  let finish;
  await executor.sendTools({ wait: () => new Promise((resolve) => (finish = resolve)) });
  const run = executor.run('await wait()');
  const worker = start(`parentPort.postMessage(1);`);
  await Promise.all([message(worker), exit(worker)]);
  while (finish === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  finish('here');
  assert.equal((await run).output, 'here');
});
