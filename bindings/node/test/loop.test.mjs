// Node's thread stays Node's, and the process lives exactly as long as something runs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { SESExecutor } from 'hotcell';

const FOREVER = { maxOperations: Number.MAX_SAFE_INTEGER, timeoutMs: 60_000 };
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

async function ready(options, tools) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

test('timers fire while the sandbox computes', async () => {
  const executor = await ready(FOREVER);
  let ended = false;
  const run = executor.execute('while (true) {}').finally(() => (ended = true));
  for (let i = 0; i < 10; i++) await turn();
  assert.equal(ended, false);
  // Only a timer on Node's side ends the loop: if it could not fire, neither would this test end in time.
  setTimeout(() => executor.cancel(), 1);
  assert.equal((await run).error.code, 'ERR_CANCELLED');
});

test('an endless loop ends at its timeout', async () => {
  const executor = await ready({ ...FOREVER, timeoutMs: 100 });
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  await assert.rejects(executor.run('while (true) {}'), (error) => error.code === 'ERR_EXEC_TIMEOUT');
  clearInterval(timer);
  assert.ok(ticks > 0);
  assert.equal(executor.state, 'DIRTY');
});

test('timers fire between synchronous tool calls', async () => {
  let fired = 0;
  const timer = setInterval(() => (fired += 1), 1);
  const executor = await ready({ ...FOREVER, maxToolCalls: 1e9 }, { stop: () => fired >= 5 });
  await executor.run('while (!stop()) {}');
  clearInterval(timer);
  assert.ok(fired >= 5);
});

test('timers fire between short runs, one after the other', async () => {
  const executor = await ready(FOREVER);
  let fired = 0;
  const timer = setInterval(() => (fired += 1), 1);
  // Without an end of its own: if runs kept the event loop from turning, this test would not end either.
  while (fired < 5) await executor.run('1');
  clearInterval(timer);
});

test('immediates run between short calls of asynchronous tools', async () => {
  let fired = 0;
  const again = () => (fired += 1) < 5 && setImmediate(again);
  const executor = await ready({ ...FOREVER, maxToolCalls: 1e9 }, { stop: async () => fired >= 5 });
  setImmediate(again);
  await executor.run('while (!await stop()) {}');
});

test('a tool is not called before run has returned', async () => {
  let hasReturned = false;
  const executor = await ready({}, { look: () => hasReturned });
  for (let i = 0; i < 3; i++) {
    hasReturned = false;
    const run = executor.run('look()');
    hasReturned = true;
    assert.equal((await run).output, true);
  }
});

test('what was called first begins first, wherever it runs', async () => {
  const executor = new SESExecutor({ ...FOREVER, runConcurrency: 'queue', maxQueuedRuns: 100 });
  const order = [];
  const steps = [executor.init(), executor.sendTools({ note: (n) => void order.push(n) }), executor.sendVariables({ x: 1 })];
  // Some of them are too long for Node's thread, so that they change threads in between.
  const code = (i) => `${i % 3 === 0 ? 'for (let i = 0; i < 100000; i++);' : ''} note(${i} + x)`;
  for (let i = 0; i < 20; i++) steps.push(executor.run(code(i)));
  await Promise.all(steps);
  assert.deepEqual(order, Array.from({ length: 20 }, (_, i) => i + 1));
});

test('a tool may use the executor that calls it, and others', async () => {
  const other = await ready();
  const executor = await ready(FOREVER, {
    async ask(code) {
      return (await other.run(code)).output;
    },
    stop: () => executor.cancel(),
    state: () => executor.state,
  });
  assert.equal((await executor.run('await ask("6 * 7")')).output, 42);
  assert.equal((await executor.run('state()')).output, 'RUNNING');
  await assert.rejects(executor.run('stop(); while (true) {}'), { code: 'ERR_CANCELLED' });
});

test('a run that computes between tool calls goes on, whichever thread it is on', async () => {
  const executor = await ready({ ...FOREVER, maxToolCalls: 1e6 }, { now: (n) => n, later: async (n) => n });
  const { output } = await executor.run(`let sum = 0;
    for (let i = 0; i < 60; i++) {
      sum += now(i) + await later(i);
      for (let j = 0; j < (i % 4) * 20000; j++);
    }
    sum`);
  assert.equal(output, 3540);
});

test('many executors run at once', async () => {
  const executors = await Promise.all(Array.from({ length: 50 }, () => ready({}, { later: async (n) => n })));
  const outputs = await Promise.all(executors.map((executor, i) => executor.run(`await later(${i}) * 2`)));
  assert.deepEqual(outputs.map(({ output }) => output), executors.map((_, i) => i * 2));
  // A loop in each: all make way for each other.
  const loops = executors.map((executor) => executor.run('let n = 0; for (let i = 0; i < 40000; i++) n += i; n'));
  assert.ok((await Promise.all(loops)).every(({ output }) => output === 799980000));
});

test('a signal calls a run off', async () => {
  const executor = await ready(FOREVER, { never: () => new Promise(() => {}) });
  for (const code of ['console.log("begun"); while (true) {}', 'console.log("begun"); await never()']) {
    const controller = new AbortController();
    const run = executor.run(code, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await assert.rejects(run, (error) => {
      assert.equal(error.code, 'ERR_CANCELLED');
      assert.equal(error.cause.message, 'enough');
      assert.equal(error.logs, 'begun');
      return true;
    });
    if (executor.state === 'DIRTY') {
      await executor.cleanup();
      await executor.init();
      await executor.sendTools({ never: () => new Promise(() => {}) });
    }
  }
});

test('a signal that has fired keeps a run from beginning', async () => {
  const executor = await ready(FOREVER);
  await assert.rejects(executor.run('globalThis.x = 1', { signal: AbortSignal.abort('no') }), { code: 'ERR_CANCELLED', cause: 'no' });
  assert.equal((await executor.run('globalThis.x')).output, undefined);
});

test('a signal of a run that waits does not touch the one under way', async () => {
  let finish;
  const executor = await ready({ ...FOREVER, runConcurrency: 'queue', maxQueuedRuns: 5 }, { wait: () => new Promise((resolve) => (finish = resolve)) });
  const controller = new AbortController();
  const first = executor.run('await wait()');
  const second = executor.run('globalThis.second = true', { signal: controller.signal });
  const third = executor.run('globalThis.second');
  while (finish === undefined) await turn();
  controller.abort();
  await assert.rejects(second, { code: 'ERR_CANCELLED' });
  assert.equal(executor.state, 'RUNNING');
  finish('first');
  assert.equal((await first).output, 'first');
  assert.equal((await third).output, undefined);
});

test('a signal that fires after the run changes nothing', async () => {
  const executor = await ready(FOREVER);
  const controller = new AbortController();
  assert.equal((await executor.run('1', { signal: controller.signal })).output, 1);
  controller.abort();
  assert.equal((await executor.run('2')).output, 2);
});

test('cancel ends the run under way, also one that was just started', async () => {
  const executor = await ready(FOREVER);
  assert.equal(executor.cancel(), false);
  const run = executor.run('while (true) {}');
  assert.equal(executor.cancel(), true);
  await assert.rejects(run, { code: 'ERR_CANCELLED' });
});

test('a run may have a timeout of its own', async () => {
  const executor = await ready(FOREVER);
  await assert.rejects(executor.run('while (true) {}', { timeoutMs: 20 }), { code: 'ERR_EXEC_TIMEOUT' });
  await assert.rejects(executor.run('1', { timeoutMs: 0 }), TypeError);
});

test('disposing calls everything off', async () => {
  const executor = await ready({ ...FOREVER, runConcurrency: 'queue', maxQueuedRuns: 5 });
  const runs = [executor.execute('while (true) {}'), executor.execute('1')];
  await executor[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
  assert.equal(executor.state, 'DEAD');
  assert.deepEqual((await Promise.all(runs)).map(({ error }) => error.code), ['ERR_CANCELLED', 'ERR_CANCELLED']);
});

test('WebAssembly of Node’s own still traps beside ours', async () => {
  // (module (func (export "f") unreachable)) and (module (memory 1) (func (export "f") (drop (i32.load (i32.const -4)))))
  const unreachable = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11);
  const outside = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 102, 0, 0, 10, 10, 1, 8, 0, 65, 124, 40, 2, 0, 26, 11);
  const executor = await ready();
  await executor.run('1');
  for (const bytes of [unreachable, outside]) {
    const { instance } = await WebAssembly.instantiate(bytes);
    assert.throws(() => instance.exports.f(), WebAssembly.RuntimeError);
  }
  assert.equal((await executor.run('2')).output, 2);
});

/** What a program prints that runs to its end by itself. */
async function program(code) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: new URL('.', import.meta.url),
    timeout: 60_000,
  });
  return stdout;
}

test('a process with an idle executor ends', async () => {
  const code = `import { SESExecutor } from 'hotcell';
    const executor = new SESExecutor();
    await executor.init();
    await executor.sendTools({ f: () => 1 });
    await executor.run('f()');
    console.log('idle');`;
  assert.equal(await program(code), 'idle\n');
});

test('a process with a run under way does not end', async () => {
  const code = `import { SESExecutor } from 'hotcell';
    const executor = new SESExecutor();
    await executor.init();
    await executor.sendTools({ sleep: () => new Promise((resolve) => setTimeout(resolve, 200).unref()) });
    executor.run('let n = 0; for (let i = 0; i < 40000; i++) n += i; n').then(({ output }) => {
      console.log(output);
      executor.run('1').then(() => console.log('end'));
    });`;
  assert.equal(await program(code), '799980000\nend\n');
});

test('process.exit in the middle of a run is clean', async () => {
  const code = `import { SESExecutor } from 'hotcell';
    const executor = new SESExecutor({ maxOperations: 1e15, timeoutMs: 60000 });
    await executor.init();
    executor.run('while (true) {}');
    setTimeout(() => { console.log('exit'); process.exit(0); }, 20);`;
  assert.equal(await program(code), 'exit\n');
});

test('an exception of a hook is uncaught, and breaks nothing else', async () => {
  const code = `import { SESExecutor } from 'hotcell';
    process.on('uncaughtException', (error) => console.log('uncaught', error.message));
    const executor = new SESExecutor({ onLog() { throw new Error('hook'); } });
    await executor.init();
    console.log((await executor.run('console.log(1); 2')).output);`;
  const lines = (await program(code)).trim().split('\n');
  assert.deepEqual(lines.sort(), ['2', 'uncaught hook']);
});
