// Two clocks, what a timeout leaves behind, and timers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, observation } from 'hotcell';
import { createExecutor as codemode } from 'hotcell/codemode';
import { createExecutor as agent } from 'hotcell/smolagents';

async function ready(options, tools) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools !== undefined) await executor.sendTools(tools);
  return executor;
}

const sleepTool = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ENDLESS = { maxOperations: Number.MAX_SAFE_INTEGER };
const late = (limit) => (error) => error.code === 'ERR_EXEC_TIMEOUT' && error.details.limit === limit;

test('what code computes is limited, and what it waits is not', async () => {
  const executor = await ready({ ...ENDLESS, timeoutMs: null, cpuTimeMs: 100 }, { sleepTool });
  assert.deepEqual([executor.options.timeoutMs, executor.options.cpuTimeMs], [null, 100]);
  const { output, stats } = await executor.run('for (let i = 0; i < 5; i++) await sleepTool(60); "awake"');
  assert.equal(output, 'awake');
  assert.ok(stats.wallMs >= 250 && stats.cpuMs < 100, JSON.stringify(stats));
  await assert.rejects(executor.run('for (;;) {}'), (error) => {
    assert.equal(error.message, 'Execution timed out after 100ms of computing');
    assert.deepEqual([error.details.limit, error.details.recoverable], ['cpuTimeMs', true]);
    assert.match(observation(error), /recover\(\)/);
    return true;
  });
  await executor.cleanup();
});

test('a run can have times of its own', async () => {
  const executor = await ready({ ...ENDLESS, timeoutMs: 60_000 }, { sleepTool });
  await assert.rejects(executor.run('for (;;) {}', { cpuTimeMs: 30 }), late('cpuTimeMs'));
  await executor.recover();
  await assert.rejects(executor.run('await sleepTool(1e5)', { timeoutMs: 30 }), late('timeoutMs'));
  await executor.recover();
  assert.equal((await executor.run('await sleepTool(20); 1', { timeoutMs: null, cpuTimeMs: 5000 })).output, 1);
  for (const wrong of [{ timeoutMs: 0 }, { cpuTimeMs: 0 }, { cpuTimeMs: NaN }, { cpuTimeMs: 'soon' }]) {
    await assert.rejects(executor.run('1', wrong), /must be a number of at least 1/);
  }
  assert.throws(() => new SESExecutor({ cpuTimeMs: 0 }), /option cpuTimeMs is 0: it must be a number of at least 1/);
  await executor.cleanup();
});

test('recover brings back what was there', async () => {
  const executor = await ready({ ...ENDLESS, timeoutMs: 60 }, { three: () => 3, sleepTool });
  await assert.rejects(new SESExecutor().recover(), { code: 'ERR_INVALID_STATE' });
  await executor.run('let kept = 1; const f = () => kept + three()');
  for (const code of ['for (;;) {}', 'try { for (;;) {} } catch {} finally { kept = 9 }', 'try { await sleepTool(1e4) } finally { kept = 9 }']) {
    await assert.rejects(executor.run(code), { code: 'ERR_EXEC_TIMEOUT' });
    assert.equal(executor.state, 'DIRTY');
    await executor.recover();
    assert.equal(executor.state, 'READY');
    assert.equal((await executor.run('f()')).output, 4);
  }
  await assert.rejects(executor.run('3n ** (2n ** 22n)'), (error) => error.details.recoverable === false);
  await assert.rejects(executor.recover(), (error) => {
    assert.equal(error.code, 'ERR_INVALID_STATE');
    assert.match(error.details.hint, /only cleanup\(\) and init\(\) help/);
    return true;
  });
  await executor.cleanup();
});

test('an agent goes on with its variables after a step that took too long', async () => {
  const executor = agent({ ...ENDLESS, timeoutMs: 60 });
  await executor.init();
  await executor.step('<code>let kept = 5;</code>');
  const slow = await executor.step('<code>for (;;) {}</code>');
  assert.equal(slow.error.code, 'ERR_EXEC_TIMEOUT');
  assert.equal((await executor.step('<code>kept</code>')).output, 5);
  await executor.cleanup();
});

test('codemode limits computing only', async () => {
  const slow = { slow: async () => { await sleepTool(300); return 'done'; } };
  const executor = codemode({ cpuTimeMs: 150 });
  assert.deepEqual(await executor.execute('async () => { for (let i = 0; i < 200_000; i++); return await codemode.slow({}) }', slow), { result: 'done', logs: [] });
  const { error } = await executor.execute('async () => { for (;;) {} }', slow);
  assert.match(error, /Execution timed out after 150ms of computing/);
  // Who wants a limit of all of it has one.
  const strict = await codemode({ timeoutMs: 50 }).execute('async () => await codemode.slow({})', slow);
  assert.match(strict.error, /Execution timed out after 50ms/);
});

test('timers are there for who is granted them', async () => {
  const without = await ready();
  await assert.rejects(without.run('setTimeout(() => {})'), /there are no timers/);
  await without.cleanup();
  const executor = await ready({ timers: true, timeoutMs: 2000 });
  assert.equal(executor.options.timers, true);
  assert.match(executor.renderPrompt(), /Timers work/);
  const { output, diagnostics } = await executor.run('const seen = []; setTimeout((...all) => seen.push(...all), 5, "a", "b"); setImmediate(() => seen.push("now")); await new Promise((done) => setTimeout(done, 30)); seen.join()');
  assert.deepEqual([output, diagnostics], ['now,a,b', []]);
  await assert.rejects(executor.run('setTimeout(() => { throw new Error("uncaught") }); await new Promise(() => {})'), { code: 'ERR_RUNTIME_EXCEPTION' });
  await assert.rejects(executor.run('await new Promise((done) => setTimeout(done, 1e9))', { timeoutMs: 50 }), late('timeoutMs'));
  await executor.recover();
  assert.equal((await executor.run('1')).output, 1);
  await executor.cleanup();
});

test('with a fixed clock nobody waits, and snapshots carry what is pending', async () => {
  const options = { timers: { persist: true }, clock: { fixed: 0 } };
  const executor = await ready(options);
  const { output } = await executor.run('const at = []; for (const ms of [86_400_000, 10, 20]) setTimeout(() => at.push(Date.now()), ms); await new Promise((done) => setTimeout(done, 15)); at.join()');
  assert.equal(output, '10');
  const restored = await SESExecutor.restore(await executor.snapshot(), options);
  for (const one of [executor, restored, await executor.fork()]) {
    assert.equal((await one.run('await new Promise((done) => setTimeout(done, 9e7)); at.join()')).output, '10,20,86400000');
    await one.cleanup();
  }
});

test('executors that sleep leave the event loop to others', async () => {
  const executors = await Promise.all(Array.from({ length: 50 }, () => ready({ timers: true, timeoutMs: 60_000 })));
  let turns = 0;
  const turning = setInterval(() => { turns += 1; }, 5);
  const outputs = await Promise.all(executors.map((executor) => executor.run('await new Promise((done) => setTimeout(done, 200, "slept"))')));
  clearInterval(turning);
  assert.ok(outputs.every(({ output }) => output === 'slept'));
  assert.ok(turns >= 10, `${turns} turns`);
  await Promise.all(executors.map((executor) => executor.cleanup()));
});
