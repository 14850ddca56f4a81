// The assertion templates of the contract, by their names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExecutorError, SESExecutor } from 'hotcell';

const sleepTool = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

async function ready(options, tools) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

const code = (expected) => (error) => {
  assert.ok(error instanceof ExecutorError, String(error));
  assert.ok(error instanceof Error);
  assert.equal(error.code, expected);
  return true;
};

test('CF-01 the circle of life', async () => {
  const executor = new SESExecutor();
  assert.equal(executor.state, 'NEW');
  await executor.init();
  assert.equal(executor.state, 'READY');
  await executor.cleanup();
  assert.equal(executor.state, 'DEAD');
  await executor.init();
  assert.equal(executor.state, 'READY');
});

test('CF-02 a second run at the same time is rejected', async () => {
  const executor = await ready({ runConcurrency: 'reject' }, { sleepTool });
  const first = executor.run('await sleepTool(300); "first"');
  const second = executor.run('await sleepTool(300)');
  assert.equal(executor.state, 'RUNNING');
  await assert.rejects(second, code('ERR_INVALID_STATE'));
  assert.equal((await first).output, 'first');
});

test('CF-03 queued runs come one after the other', async () => {
  const executor = await ready({ runConcurrency: 'queue', maxQueuedRuns: 10 }, { sleepTool });
  const order = [];
  const a = executor.run('await sleepTool(100); final_answer("A")').finally(() => order.push('A'));
  const b = executor.run('final_answer("B")').finally(() => order.push('B'));
  assert.deepEqual([(await a).output, (await b).output], ['A', 'B']);
  assert.deepEqual(order, ['A', 'B']);
});

test('CF-04 the queue has a limit', async () => {
  const executor = await ready({ runConcurrency: 'queue', maxQueuedRuns: 1 }, { sleepTool });
  const order = [];
  const first = executor.run('await sleepTool(100); 1').finally(() => order.push(1));
  const second = executor.run('2').finally(() => order.push(2));
  const third = executor.run('3').finally(() => order.push(3));
  await assert.rejects(third, code('ERR_INVALID_STATE'));
  assert.deepEqual(order, [3]);
  assert.deepEqual([(await first).output, (await second).output], [1, 2]);
});

test('CF-05 a static import is rejected and nothing runs', async () => {
  const executor = await ready({ authorizedImports: ['node:fs'] });
  await assert.rejects(executor.run('globalThis.touched = true;\nimport fs from "node:fs";'), code('ERR_IMPORT_NOT_ALLOWED'));
  assert.equal((await executor.run('globalThis.touched')).output, undefined);
});

test('CF-06 only authorised modules can be imported', async () => {
  const executor = await ready({ authorizedImports: ['x-ok'], modules: { 'x-ok': 'export const answer = 42;' } });
  assert.equal((await executor.run('(await import("x-ok")).answer')).output, 42);
  await assert.rejects(executor.run('await import("x-denied")'), code('ERR_IMPORT_NOT_ALLOWED'));
});

for (const [how, boomTool] of Object.entries({
  throws: () => {
    throw new Error('boom');
  },
  rejects: async () => {
    throw new Error('boom');
  },
})) {
  test(`CF-07 a tool that ${how} is a tool failure`, async () => {
    const executor = await ready({}, { boomTool });
    await assert.rejects(executor.run('await boomTool()'), code('ERR_TOOL_PROXY_FAIL'));
    assert.equal(executor.state, 'READY');
  });
}

test('CF-08 what code throws itself is a runtime exception', async () => {
  const executor = await ready();
  for (const wrong of ['throw new Error("x")', 'undefinedVariable']) {
    await assert.rejects(executor.run(wrong), code('ERR_RUNTIME_EXCEPTION'));
    assert.equal(executor.state, 'READY');
  }
});

test('CF-09 too many operations are told by the code', async () => {
  const executor = await ready({ maxOperations: 100 });
  await assert.rejects(executor.run('while(true){}'), code('ERR_MAX_OPS_EXCEEDED'));
  assert.equal(executor.state, 'READY');
});

test('CF-10 after a timeout cleanup and init bring it back', async () => {
  const executor = await ready({ timeoutMs: 50 }, { sleepTool });
  await assert.rejects(executor.run('console.log("before"); await sleepTool(999999)'), (error) => {
    assert.equal(error.code, 'ERR_EXEC_TIMEOUT');
    assert.equal(error.severity, 'ERROR');
    assert.equal(error.retryable, true);
    assert.equal(error.message, 'Execution timed out after 50ms');
    assert.equal(error.logs, 'before');
    return true;
  });
  assert.equal(executor.state, 'DIRTY');
  await executor.cleanup();
  assert.equal(executor.state, 'DEAD');
  await executor.init();
  const { output, is_final_answer } = await executor.run('final_answer("ok")');
  assert.deepEqual([output, is_final_answer], ['ok', true]);
});

test('calls that do not fit the state are refused', async () => {
  const executor = new SESExecutor();
  for (const call of [() => executor.run('1'), () => executor.sendTools({}), () => executor.sendVariables({}), () => executor.snapshot(), () => executor.fork()]) {
    await assert.rejects(call(), code('ERR_INVALID_STATE'));
  }
  await executor.init();
  await executor.init();
  await executor.cleanup();
  await executor.cleanup();
  assert.equal(executor.state, 'DEAD');
});

test('calls take effect in their order without being awaited', async () => {
  const executor = new SESExecutor();
  const calls = [executor.init(), executor.sendTools({ twice: (n) => n * 2 }), executor.sendVariables({ x: 21 }), executor.run('twice(x)')];
  assert.equal((await calls.at(-1)).output, 42);
  await Promise.all(calls);
});

test('options are checked, by the constructor or by the run', async () => {
  assert.throws(() => new SESExecutor({ maxOps: 1 }), TypeError);
  assert.throws(() => new SESExecutor({ maxLogBytes: 1 }), /maxLogBytes/);
  assert.throws(() => new SESExecutor({ onLog: 1 }), TypeError);
  assert.throws(() => new SESExecutor(null), TypeError);
  for (const [options, rule] of [
    [{ maxOperations: 0 }, 'max_operations_valid'],
    [{ maxOperations: NaN }, 'max_operations_valid'],
    [{ timeoutMs: -1 }, 'timeout_valid'],
    [{ timeoutMs: Infinity }, 'timeout_valid'],
  ]) {
    const executor = await ready(options);
    await assert.rejects(executor.run('1'), (error) => {
      assert.equal(error.code, 'ERR_VALIDATION_FAILED');
      assert.equal(error.details.diagnostics[0].rule, rule);
      return true;
    });
  }
});

test('an error says what, where, and what was printed', async () => {
  const executor = await ready();
  const error = await executor.run('console.warn("careful");\nnull.x').catch((error) => error);
  assert.equal(error.name, 'ExecutorError');
  assert.equal(error.details.cause.name, 'TypeError');
  assert.equal(error.details.cause.location.line, 2);
  assert.equal(error.logs, 'careful');
  assert.equal(error.entries[0].level, 'warn');
  const { code, severity, message, retryable } = JSON.parse(JSON.stringify(error));
  assert.deepEqual({ code, severity, retryable }, { code: 'ERR_RUNTIME_EXCEPTION', severity: 'ERROR', retryable: true });
  assert.match(message, /^Runtime exception: /);
});

test('a run tells what it did', async () => {
  const executor = await ready({}, { add: (a, b) => a + b });
  const run = await executor.run('for (let i = 0; i < 3; i++) add(i, [i]); if (false) process; undefined');
  assert.equal(run.output, undefined);
  assert.equal(run.stats.operations, 3);
  assert.deepEqual(run.calls.map(({ tool, arguments: args, outcome }) => [tool, args, outcome]), [
    ['add', [0, [0]], 'returned'],
    ['add', [1, [1]], 'returned'],
    ['add', [2, [2]], 'returned'],
  ]);
  assert.equal(run.diagnostics[0].rule, 'forbidden_global_access');
});

test('execute never throws', async () => {
  const executor = await ready();
  const good = await executor.execute('console.log(1); 2');
  assert.deepEqual([good.output, good.logs, good.error], [2, '1', undefined]);
  const bad = await executor.execute('console.log(1); throw new Error("no")');
  assert.deepEqual([bad.output, bad.logs, bad.error.code], [undefined, '1', 'ERR_RUNTIME_EXCEPTION']);
  const unready = await new SESExecutor().execute('1');
  assert.equal(unready.error.code, 'ERR_INVALID_STATE');
  const wrong = await executor.execute('1', { timeoutMs: 'soon' });
  assert.ok(wrong.error instanceof TypeError);
});

test('console lines come as they are printed, before the run ends', async () => {
  const seen = [];
  const executor = await ready({ onLog: (entry) => seen.push(entry), collectConsoleLevels: ['log', 'error'] }, { count: () => seen.length });
  const { output, entries } = await executor.run('console.log("a", { b: 1 }); console.info("no"); const n = count(); console.error("c"); n');
  assert.deepEqual(seen.map(({ level, message }) => [level, message]), [['log', 'a { b: 1 }'], ['error', 'c']]);
  assert.equal(output, 1);
  assert.deepEqual(entries, seen);
  assert.ok(!Number.isNaN(Date.parse(seen[0].ts)));
});
