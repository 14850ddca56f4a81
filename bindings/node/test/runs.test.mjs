// Runs as values: suspended, kept, resumed; in the background; and what happens, as events.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { SESExecutor, approve, deny, inspectSnapshot, suspend, suspending, tool } from 'hotcell';

async function ready(tools, options) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

const CODE = `const a = await look(1);
const b = await pay(10);
const c = await tell(100);
a + b + c`;

/** Three tools that count, the second of which needs consent. */
function counted() {
  const counts = { look: 0, pay: 0, tell: 0 };
  const count = (name) => async (n) => ((counts[name] += 1), n);
  const tools = { look: count('look'), pay: tool(count('pay'), { permission: 'ask' }), tell: count('tell') };
  return { counts, tools };
}

test('consent in another process runs nothing twice', async () => {
  // Each half is a process of its own; what they share is a file.
  const directory = mkdtempSync(join(tmpdir(), 'hotcell-runs-'));
  try {
    const driver = fileURLToPath(new URL('../fixtures/consent.mjs', import.meta.url));
    const step = (...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [driver, directory, ...args], { encoding: 'utf8' });
      assert.ok(stdout !== '', `${status} ${stderr}`);
      return JSON.parse(stdout);
    };
    const first = step('begin');
    assert.deepEqual(first, { status: 'suspended', counts: { look: 1, pay: 0, tell: 0 } });
    const second = step('resume');
    assert.deepEqual(second.asked, [{ id: '1.2', tool: 'pay', arguments: [10], reason: 'approval' }]);
    assert.deepEqual(second.made, ['look', 'pay']);
    assert.deepEqual(second.counts, { look: 0, pay: 1, tell: 1 });
    assert.deepEqual([second.status, second.output], ['complete', 111]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('two forks have two futures', async () => {
  const { counts, tools } = counted();
  const executor = await ready(tools);
  const started = await executor.start(CODE);
  assert.equal(started.status, 'suspended');
  assert.equal(executor.state, 'SUSPENDED');
  assert.deepEqual(started.calls, [{ id: '1.2', tool: 'pay', arguments: [10], reason: 'approval' }]);
  const twin = await executor.fork();
  const yes = await executor.resume({ '1.2': approve() });
  const no = await twin.resume({ '1.2': deny('too much') });
  assert.equal(yes.output, 111);
  assert.match(no.error.message, /too much/);
  assert.deepEqual(counts, { look: 1, pay: 1, tell: 1 });
});

test('a tool suspends one call, and another always; answers come in any order', async () => {
  const executor = await ready({
    ask: suspending({ description: 'Asks a person' }),
    slow: async (n) => (n > 1 ? suspend() : n),
  });
  const run = await executor.start('const all = await Promise.all([ask("?"), slow(1), slow(2)]); all.join()');
  assert.deepEqual(run.calls.map(({ id, reason }) => [id, reason]), [['1.1', 'deferred'], ['1.3', 'tool']]);
  const next = await executor.resume({ '1.3': 'b' });
  assert.deepEqual(next.calls.map(({ id }) => id), ['1.1']);
  assert.equal((await executor.suspension()).calls.length, 1);
  const end = await executor.resume({ '1.1': 'a' });
  assert.equal(end.output, 'a,1,b');
  assert.equal(await executor.suspension(), undefined);
});

test('an error as an answer is thrown where it is awaited', async () => {
  const executor = await ready({ ask: suspending() });
  await executor.start('try { await ask() } catch (error) { `${error.name}: ${error.message}` }');
  const { output } = await executor.resume({ 1.1: new RangeError('no such thing') });
  assert.equal(output, 'RangeError: no such thing');
});

test('answers that do not fit are refused and nothing is lost', async () => {
  const returns = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const executor = await ready({ ask: suspending({ returns }) });
  await executor.start('const [a, b] = await Promise.all([ask(1), ask(2)]); a.n + b.n');
  for (const [answers, words] of [
    [{}, /at least one/],
    [{ 1.9: { n: 1 } }, /does not exist/],
    [{ 1.1: 'text' }, /does not fit/],
    [{ 1.1: approve() }, /does not wait for approval/],
    [{ 1.1: { n: 1 }, 1.3: { n: 1 } }, /does not exist/],
  ]) {
    await assert.rejects(executor.resume(answers), (error) => error.code === 'ERR_INVALID_ANSWER' && words.test(error.message));
    assert.equal((await executor.suspension()).calls.length, 2);
  }
  await executor.resume({ 1.1: { n: 1 } });
  await assert.rejects(executor.resume({ 1.1: { n: 1 } }), /answered already/);
  assert.equal((await executor.resume({ 1.2: { n: 41 } })).output, 42);
  await assert.rejects(executor.resume({ 1.2: { n: 41 } }), { code: 'ERR_INVALID_STATE' });
  await assert.rejects(executor.resume(null), TypeError);
});

test('a resume while the run goes on is refused', async () => {
  let open;
  const executor = await ready({ ask: suspending(), gate: () => new Promise((resolve) => (open = resolve)) });
  await executor.start('await ask(); await gate(); 1');
  const resumed = executor.resume({ 1.1: 1 });
  await assert.rejects(executor.resume({ 1.1: 1 }), { code: 'ERR_INVALID_STATE' });
  while (open === undefined) await new Promise((resolve) => setImmediate(resolve));
  open();
  assert.equal((await resumed).output, 1);
});

test('who decides may say later, and under run that is a refusal', async () => {
  const executor = await ready({ pay: tool(async (n) => n, { permission: 'ask' }) }, { onApproval: () => suspend() });
  const run = await executor.start('await pay(3)');
  assert.equal(run.calls[0].reason, 'approval');
  assert.equal((await executor.resume({ 1.1: approve() })).output, 3);
  await assert.rejects(executor.run('await pay(3)'), /nobody can decide on it now/);
});

test('a run that takes longer goes on by itself', async () => {
  let open;
  const executor = await ready({ gate: () => new Promise((resolve) => (open = resolve)) });
  assert.equal((await executor.start('1 + 1', { yieldAfterMs: 10_000 })).output, 2);
  const run = await executor.start('console.log("before"); await gate(); "done"', { yieldAfterMs: 20 });
  assert.equal(run.status, 'running');
  assert.equal(run.logs, 'before');
  assert.deepEqual(run.made.map((call) => call.tool), ['gate']);
  assert.deepEqual(executor.backgroundRuns, [run.id]);
  assert.equal(executor.state, 'RUNNING');
  assert.equal((await executor.wait(run.id, { yieldAfterMs: 0 })).status, 'running');
  open();
  const end = await executor.wait(run.id);
  assert.deepEqual([end.status, end.output, end.logs], ['complete', 'done', 'before']);
  await assert.rejects(executor.wait(run.id), { code: 'ERR_UNKNOWN_RUN' });
});

test('runs in the background are cancelled, given up and limited', async () => {
  const executor = await ready({ gate: () => new Promise(() => {}) }, { maxBackgroundRuns: 1 });
  const run = await executor.start('await gate()', { yieldAfterMs: 1 });
  const refused = await executor.start('1', { yieldAfterMs: 1 }).catch((error) => error);
  assert.match(refused.details.hint, /maxBackgroundRuns/);
  executor.cancelRun(run.id);
  const end = await executor.wait(run.id);
  assert.equal(end.error.code, 'ERR_CANCELLED');
  const other = await executor.start('await gate()', { yieldAfterMs: 1 });
  await executor.giveUp(other.id);
  assert.deepEqual(executor.backgroundRuns, []);
  assert.equal((await executor.run('1')).output, 1);
});

test('events come in order, to a callback and to who iterates', async () => {
  const told = [];
  const executor = await ready({ price: async (name) => name.length }, { onEvent: (event) => told.push(event) });
  const events = executor.events();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await executor.start('console.log("a"); await price("tea")', { traceparent });
  const read = [];
  for await (const event of events) {
    read.push(event);
    if (event.type === 'ended') break;
  }
  assert.deepEqual(read.map((event) => event.type), ['runStarted', 'log', 'callStarted', 'callEnded', 'ended']);
  assert.deepEqual(told, read);
  const [began, , called, answered, ended] = read;
  assert.deepEqual([called.call, called.parent, called.arguments], ['1.1', '1', "'tea'"]);
  assert.equal(answered.outcome, 'returned');
  assert.equal(ended.ok, true);
  assert.ok(began.traceparent.startsWith('00-0af7651916cd43dd8448eb211c80319c-'));
  assert.notEqual(began.traceparent, called.traceparent);
  assert.deepEqual(read.map((event) => event.number), [1, 2, 3, 4, 5]);
});

test('who does not read misses events, and is told how many', async () => {
  const executor = await ready();
  const events = executor.events({ maxUnread: 5 });
  await executor.run('for (let i = 0; i < 100; i++) console.log(i)');
  const { value } = await events.next();
  assert.deepEqual([value.type, value.events], ['missed', 97]);
  assert.equal((await events.next()).value.message, '96');
  await events.return();
  assert.equal((await events.next()).done, true);
});

test('a tool knows which call it answers', async () => {
  let seen;
  const executor = await ready({ look: tool(async (n, context) => (seen = context), { context: true }) });
  await executor.start('await look(1).catch(() => 0)', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
  assert.equal(seen.callId, '1.1');
  assert.match(seen.traceparent, /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  await assert.rejects(executor.start('1', { traceparent: 'nonsense' }), TypeError);
});

test('a snapshot says what it is, and what has changed is enough with its base', async () => {
  const executor = await ready({ ask: suspending() });
  await executor.run('const kept = Array.from({ length: 50_000 }, (_, i) => i)');
  const base = await executor.snapshot();
  await executor.start('await ask({ question: "?" }) + kept.length');
  const delta = await executor.snapshot({ base });
  assert.ok(delta.length < base.length / 2, `${delta.length} of ${base.length}`);
  const info = await inspectSnapshot(delta);
  assert.deepEqual([info.state, info.hasBase, info.isCurrent, info.tools], ['SUSPENDED', true, true, ['ask']]);
  assert.deepEqual(info.run.calls, [{ id: '2.1', tool: 'ask', arguments: [{ question: '?' }], reason: 'deferred' }]);
  await assert.rejects(SESExecutor.restore(delta), /that one is needed/);
  await assert.rejects(SESExecutor.restore(delta, { base: delta }), /whole snapshot/);
  const restored = await SESExecutor.restore(delta, { base });
  assert.equal((await restored.resume({ 2.1: 1 })).output, 50_001);
  await assert.rejects(inspectSnapshot(base, { maxSnapshotBytes: 1000 }), /maxSnapshotBytes/);
});
