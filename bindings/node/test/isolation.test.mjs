// Code in a worker process does what it does on a thread, and is gone when it has to be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, Sandbox } from 'hotcell';

const linux = { skip: process.platform !== 'linux' && 'worker processes are there on Linux only' };

const ready = async (options) => {
  const executor = new SESExecutor({ isolation: 'process', ...options });
  await executor.init();
  return executor;
};

test('tools, variables, logs and state go over the boundary', linux, async () => {
  const lines = [];
  const executor = await ready({ onLog: (entry) => lines.push(entry.message) });
  await executor.sendVariables({ prices: new Map([['tea', 3n]]) });
  await executor.sendTools({
    now: () => 7,
    later: async (text) => text.toUpperCase(),
    fails: () => {
      throw new TypeError('no');
    },
  });
  const first = await executor.run("console.log('hi'); const sum = now() + Number(prices.get('tea')); [sum, await later('x')]");
  assert.deepEqual(first.output, [10, 'X']);
  assert.equal(first.logs, 'hi');
  assert.deepEqual(lines, ['hi']);
  assert.equal((await executor.run('sum')).output, 10);
  await assert.rejects(executor.run('fails()'), { code: 'ERR_TOOL_PROXY_FAIL' });
  await executor.cleanup();
});

test('approval is asked for here', linux, async () => {
  const asked = [];
  const executor = await ready({
    onApproval: (request) => {
      asked.push(request.tool);
      return asked.length === 1;
    },
  });
  await executor.sendTools({ pay: { execute: () => 'paid', permission: 'ask' } });
  assert.equal((await executor.run('await pay()')).output, 'paid');
  await assert.rejects(executor.run('await pay()'), { code: 'ERR_TOOL_PROXY_FAIL' });
  assert.deepEqual(asked, ['pay', 'pay']);
});

test('a run that never ends is over at its time, and the next executor runs', linux, async () => {
  const executor = await ready({ timeoutMs: 100, maxOperations: 1e12 });
  await assert.rejects(executor.run('for (;;) {}'), { code: 'ERR_EXEC_TIMEOUT' });
  assert.equal(executor.state, 'DIRTY');
  await executor.cleanup();
  await executor.init();
  assert.equal((await executor.run('6 * 7')).output, 42);
});

test('a snapshot goes from one side of the boundary to the other', linux, async () => {
  const executor = await ready();
  await executor.run('let count = 41');
  const twin = await SESExecutor.restore(await executor.snapshot());
  assert.equal((await twin.run('++count')).output, 42);
  const there = await SESExecutor.restore(await twin.snapshot(), { isolation: 'process' });
  assert.equal((await there.run('++count')).output, 43);
});

test('a sandbox runs its commands there, too', linux, async () => {
  const sandbox = new Sandbox({ isolation: 'process' });
  assert.equal((await sandbox.run('seq 3 | paste -sd+ | bc')).stdout, '6\n');
});
