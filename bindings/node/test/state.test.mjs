// Snapshots and twins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, buildId, version } from 'hotcell';

async function ready(tools) {
  const executor = new SESExecutor();
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

test('a snapshot holds everything but the functions of tools', async () => {
  const executor = await ready({ price: () => 3 });
  await executor.sendVariables({ sent: { a: 1 } });
  await executor.run('let list = [1]; const double = (n) => n * 2; const cost = price();');
  const snapshot = await executor.snapshot();
  assert.ok(Buffer.isBuffer(snapshot));
  await executor.run('list.push(2)');

  const later = await SESExecutor.restore(snapshot);
  assert.ok(later instanceof SESExecutor);
  assert.equal(later.state, 'READY');
  assert.deepEqual((await later.run('[list, double(21), cost, sent.a]')).output, [[1], 42, 3, 1]);
  await later.sendTools({ price: () => 4 });
  assert.equal((await later.run('price()')).output, 4);
  assert.deepEqual((await executor.run('list')).output, [1, 2]);
});

test('what a restored executor may do is for whoever restores it to say', async () => {
  const executor = new SESExecutor({ maxOperations: 123, timeoutMs: 1e9, clock: 'real', memoryLimitBytes: 1 << 28 });
  await executor.init();
  const snapshot = await executor.snapshot();
  assert.deepEqual((await SESExecutor.restore(snapshot)).options, new SESExecutor().options);
  const lines = [];
  const later = await SESExecutor.restore(snapshot, { maxOperations: 5, onLog: ({ message }) => lines.push(message) });
  await assert.rejects(later.run('console.log("x"); for (;;) {}'), { code: 'ERR_MAX_OPS_EXCEEDED' });
  assert.deepEqual(lines, ['x']);
});

test('a sealed snapshot is good for who has the key', async () => {
  const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];
  const executor = new SESExecutor({ snapshotKey: key });
  assert.equal('snapshotKey' in executor.options, false);
  await executor.init();
  await executor.run('let x = 1');
  const snapshot = await executor.snapshot();
  const restored = await SESExecutor.restore(snapshot, { snapshotKey: key });
  assert.equal((await restored.run('x')).output, 1);
  const unsealed = await (await ready()).snapshot();
  await assert.rejects(SESExecutor.restore(snapshot, { snapshotKey: other }), { code: 'ERR_VALIDATION_FAILED' });
  await assert.rejects(SESExecutor.restore(unsealed, { snapshotKey: key }), { code: 'ERR_VALIDATION_FAILED' });
  const changed = Buffer.from(snapshot);
  changed[changed.length >> 1] ^= 1;
  await assert.rejects(SESExecutor.restore(changed, { snapshotKey: key }), { code: 'ERR_VALIDATION_FAILED' });
  assert.throws(() => new SESExecutor({ snapshotKey: 'short' }), (error) => error instanceof TypeError && !error.message.includes('short'));
});

test('a snapshot is copied before it is read', async () => {
  const executor = new SESExecutor({ memoryLimitBytes: 64 << 20, maxOperations: 1e9 });
  await executor.init();
  // What cannot be compressed, so that it takes more than one piece.
  await executor.run('let x = 1; const list = new Uint32Array(1e6).map(() => (x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + 1 | 0)); list[7] = 42');
  const snapshot = await executor.snapshot();
  assert.ok(snapshot.length > 2 << 20, `${snapshot.length} bytes`);
  const restored = await SESExecutor.restore(snapshot);
  assert.equal((await restored.run('list[7]')).output, 42);
  const promise = SESExecutor.restore(snapshot);
  setImmediate(() => snapshot.fill(0));
  // It may be either, but not something in between.
  await promise.then((executor) => executor.run('list[7]').then(({ output }) => assert.equal(output, 42)), (error) => assert.equal(error.code, 'ERR_VALIDATION_FAILED'));
});

test('what is no snapshot is refused', async () => {
  const executor = await ready();
  const snapshot = await executor.snapshot();
  await assert.rejects(SESExecutor.restore(new Uint8Array(100)), Error);
  await assert.rejects(SESExecutor.restore(snapshot.subarray(0, snapshot.length - 1)), Error);
  await assert.rejects(SESExecutor.restore('text'), TypeError);
  await assert.rejects(SESExecutor.restore(snapshot, { unknown: 1 }), TypeError);
});

test('a twin goes its own way, with the same tools', async () => {
  const lines = [];
  const executor = new SESExecutor({ onLog: ({ message }) => lines.push(message) });
  await executor.init();
  await executor.sendTools({ who: async (name) => `${name}!` });
  await executor.run('let path = ["start"]');
  const twin = await executor.fork();
  await Promise.all([
    executor.run('path.push(await who("left")); console.log("left")'),
    twin.run('path.push(await who("right")); console.log("right")'),
  ]);
  assert.deepEqual((await executor.run('path')).output, ['start', 'left!']);
  assert.deepEqual((await twin.run('path')).output, ['start', 'right!']);
  assert.deepEqual(lines.sort(), ['left', 'right']);

  await executor.sendTools({ who: () => 'new' });
  assert.equal((await twin.run('await who("old")')).output, 'old!');
  await executor.cleanup();
  assert.equal((await twin.run('await who("still")')).output, 'still!');
});

test('the build has a name', () => {
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.match(buildId, /^[0-9a-f]{16}$/);
});
