// What is done for code outside of its sandbox is not done at Node's expense.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, prepareProgram, prepareProgramAsync, tool, validateCode, validateCodeAsync } from 'hotcell';

const FOREVER = { maxOperations: Number.MAX_SAFE_INTEGER, timeoutMs: 60_000 };

async function ready(options, tools) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

/** How often the event loop turns until a promise is settled. */
async function turnsUntil(promise) {
  let turns = 0;
  let isOver = false;
  promise.then(() => (isOver = true), () => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return turns;
}

test('long code is looked at while Node goes on', async () => {
  const executor = await ready({ ...FOREVER, maxCodeBytes: 16 << 20 });
  // Different each time: what was looked at once is remembered.
  const code = (n) => `// ${n}\nlet a;\n${'a = [1, 2, 3].map((n) => n + 1);\n'.repeat(25_000)}`;
  for (const [name, start] of Object.entries({
    run: () => executor.execute(code(1)),
    validateAsync: () => executor.validateAsync(code(2)),
    validateCodeAsync: () => validateCodeAsync(code(3), { maxCodeBytes: 16 << 20 }),
    prepareProgramAsync: () => prepareProgramAsync(code(4), { maxCodeBytes: 16 << 20 }),
  })) {
    assert.ok((await turnsUntil(start())) > 3, name);
  }
});

test('what is said about code does not depend on who waits for it', async () => {
  const executor = await ready();
  for (const code of ['let x: number = 1', 'import "fs"', 'let', `let __smol_${'x'.repeat(20_000)} = 1`]) {
    assert.deepEqual(await executor.validateAsync(code), executor.validate(code));
    assert.deepEqual(await validateCodeAsync(code), validateCode(code));
    assert.deepEqual(await prepareProgramAsync(code), prepareProgram(code));
  }
  await assert.rejects(validateCodeAsync('1', { unknown: 1 }), TypeError);
});

test('code that is made at run time is looked at while Node goes on', async () => {
  const executor = await ready({ ...FOREVER, timeoutMs: 200 });
  for (const code of [`eval('/"[";'.repeat(200000))`, `new Function('/"[";'.repeat(200000))`]) {
    assert.ok((await turnsUntil(executor.execute(code))) > 3, code);
    if (executor.state === 'DIRTY') await executor.cleanup();
    await executor.init();
  }
});

const many = (length, one) => Array.from({ length }, (_, i) => one(i));
/** Each makes a value that is large, there and here. */
const LARGE = {
  numbers: () => many(200_000, (i) => i / 7),
  objects: () => many(50_000, (i) => ({ i, text: `t${i}` })),
  keys: () => Object.fromEntries(many(50_000, (i) => [`k${i}`, i])),
  'a map': () => new Map(many(20_000, (i) => [`${i}`, [i]])),
  'a set': () => new Set(many(50_000, (i) => `s${i}`)),
  holes: () => many(20_000, (i) => (i % 3 === 0 ? [, i, , ,] : i)),
  'an array of holes': () => Object.assign([], many(20_000, (i) => i), { 100000: 1 }),
  'large in large': () => [{ a: many(20_000, (i) => [i]) }, new Map([['m', many(20_000, (i) => ({ i }))]]), new Set([many(9000, (i) => i)])],
  'a prototype as a key': () => JSON.parse(`{"__proto__":[${'1,'.repeat(20_000)}1]}`),
  strings: () => [...'éß€😀\ud800x'].map((c) => c.repeat(100_000)),
  BigInts: () => [2n ** 100_000n, -(3n ** 50_000n), 7n],
  bytes: () => [new Uint8Array(100_000).fill(7), new Float64Array([1.5, -0]), new Uint8Array(0)],
};

test('large values are made in steps, and are what they were', async () => {
  const executor = await ready({ ...FOREVER, memoryLimitBytes: 512 << 20, maxResultBytes: 256 << 20 });
  for (const [name, make] of Object.entries(LARGE)) {
    const { output } = await executor.run(`const many = ${many}; (${make})()`);
    assert.deepStrictEqual(output, make(), name);
  }
});

test('large errors and graphs are made in steps, and are what they were', async () => {
  const executor = await ready({ ...FOREVER, memoryLimitBytes: 512 << 20, maxResultBytes: 256 << 20 });
  const { output: error } = await executor.run(`const many = ${many};
    const e = new AggregateError(many(20000, (i) => new RangeError('e' + i)), 'many', { cause: many(20000, (i) => i) });
    e.extra = many(20000, (i) => 'x' + i); e`);
  assert.ok(error instanceof AggregateError && error.errors[19_999] instanceof RangeError);
  assert.equal(error.errors[19_999].message, 'e19999');
  assert.deepEqual(error.cause, many(20_000, (i) => i));
  assert.deepEqual(error.extra, many(20_000, (i) => `x${i}`));
  assert.equal(Object.keys(error).join(), 'extra');

  const { output: all } = await executor.run('const all = []; for (let i = 0; i < 30000; i++) all.push({ all, i, before: all[i - 1] }); all');
  assert.equal(all.length, 30_000);
  assert.ok(all.every((one, i) => one.all === all && one.i === i && one.before === all[i - 1]));
});

test('the event loop turns while a large value is made', async () => {
  let isDone = false;
  const executor = await ready({ ...FOREVER, maxResultBytes: 256 << 20, memoryLimitBytes: 512 << 20 }, { done: () => void (isDone = true) });
  const running = executor.run('const list = Array.from({ length: 300000 }, (_, i) => ({ i })); done(); list');
  let turns = 0;
  const timer = setInterval(() => (turns += Number(isDone)), 1);
  assert.equal((await running).output.length, 300_000);
  clearInterval(timer);
  assert.ok(turns > 5, `${turns} turns`);
});

test('what Node cannot make stands there in its printed form', async () => {
  const executor = await ready({}, { echo: (value) => value, later: async (value) => value });
  const run = await executor.run('console.log("kept"); const r = /(?i:a)/; ({ r, again: r, list: [new Date(NaN), 1] })');
  assert.equal(run.output.r, '/(?i:a)/');
  assert.equal(run.output.again, '/(?i:a)/');
  assert.ok(Number.isNaN(run.output.list[0].getTime()));
  assert.equal(run.logs, 'kept');
  const [diagnostic] = run.diagnostics;
  assert.equal(diagnostic.rule, 'result_not_cloneable');
  assert.match(diagnostic.message, /\/\(\?i:a\)\/ cannot be made in Node \(.*Invalid group\): its printed form stands in its place/);

  const final = await executor.run('console.log("kept"); final_answer(/(?i:a)/)');
  assert.deepEqual([final.output, final.is_final_answer, final.logs], ['/(?i:a)/', true, 'kept']);
  const long = await executor.run('new RegExp("a".repeat(25000))');
  assert.equal(long.output.length, 25002);
  assert.match(long.diagnostics[0].message, /it would take too long/);
});

test('a tool is not called with what Node cannot make', async () => {
  const executor = await ready({}, { echo: (value) => value, later: async (value) => value });
  for (const call of ['echo(/(?i:a)/)', 'await later([1, /(?i:a)/])']) {
    const run = await executor.run(`console.log("kept"); let e; try { ${call} } catch (error) { e = error } [e.name, e.message]`);
    assert.equal(run.output[0], 'TypeError');
    assert.match(run.output[1], /an argument of \w+ cannot leave the sandbox: the regular expression \/\(\?i:a\)\/ cannot be made in Node/);
    assert.equal(run.logs, 'kept');
    assert.equal(run.calls[0].outcome, 'failed');
  }
});

test('recorded arguments that Node cannot make do not cost the run', async () => {
  const executor = await ready({}, { no: tool(() => 1, { permission: 'deny' }) });
  const run = await executor.run('try { no({ r: /(?i:a)/ }) } catch {} 7');
  assert.equal(run.output, 7);
  assert.deepEqual(run.calls[0].arguments, [{ r: '/(?i:a)/' }]);
  assert.equal(run.diagnostics[0].rule, 'result_not_cloneable');
});

test('a flood of lines lets the event loop turn, and each is told once', async () => {
  let told = 0;
  let last;
  const executor = await ready({ ...FOREVER, timeoutMs: 100, onLog: ({ message }) => ((told += 1), (last = message)) });
  const running = executor.execute('for (let i = 0; ; i++) console.log(i)');
  assert.ok((await turnsUntil(running)) > 10);
  const { entries, logs } = await running;
  assert.equal(told, entries.length);
  assert.equal(last, entries.at(-1).message);
  assert.equal(logs, entries.map(({ message }) => message).join('\n'));
});

test('a flood of calls lets the event loop turn', async () => {
  let called = 0;
  const options = { ...FOREVER, timeoutMs: 500, maxToolCalls: 1e9, maxToolCallsInFlight: 1e9 };
  const never = () => ((called += 1), new Promise(() => {}));
  for (const tools of [{ never: tool(never, { mode: 'async' }) }, { never }]) {
    called = 0;
    const executor = await ready(options, tools);
    const running = executor.execute('for (;;) never("x".repeat(100))');
    assert.ok((await turnsUntil(running)) > 10);
    assert.ok(called > 10);
    assert.equal((await running).error.code, 'ERR_EXEC_TIMEOUT');
  }
});

test('calls reach the host in their order, whatever they weigh', async () => {
  const order = [];
  const executor = await ready({ ...FOREVER, maxHostMemoryBytes: 1 << 30 }, { note: tool(async (n) => void order.push(n), { mode: 'async' }) });
  await executor.run(`const large = Array.from({ length: 20000 }, (_, i) => ({ i }));
    await Promise.all(Array.from({ length: 40 }, (_, i) => i % 3 === 0 ? note(i, large) : note(i)))`);
  assert.deepEqual(order, Array.from({ length: 40 }, (_, i) => i));
});

test('what a run does is told before its end, and the end before the next run', async () => {
  const told = [];
  const executor = await ready({ ...FOREVER, runConcurrency: 'queue', maxQueuedRuns: 10, onLog: ({ message }) => told.push(message) });
  const large = 'Array.from({ length: 20000 }, (_, i) => ({ i }))';
  const runs = [0, 1, 2, 3].map((n) => executor.run(`console.log("run ${n}"); ${large}`).then(() => told.push(`end ${n}`)));
  await Promise.all(runs);
  assert.deepEqual(told.filter((text) => text.startsWith('end')), [0, 1, 2, 3].map((n) => `end ${n}`));
  for (const n of [0, 1, 2, 3]) assert.ok(told.indexOf(`run ${n}`) < told.indexOf(`end ${n}`));
});

test('the state can be asked for while a snapshot is taken', async () => {
  const executor = await ready({ ...FOREVER, memoryLimitBytes: 128 << 20 });
  await executor.run('const b = new Uint8Array(5e7).map((_, i) => i * 7)');
  let asked = 0;
  let isTaken = false;
  const taking = executor.snapshot().finally(() => (isTaken = true));
  while (!isTaken) {
    assert.equal(executor.state, 'READY');
    assert.equal(executor.queued, 0);
    assert.deepEqual(executor.tools, []);
    asked += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await taking;
  assert.ok(asked > 10, `${asked} times`);
});

test('what the host may keep for code has a limit that names itself', async () => {
  const executor = await ready({ ...FOREVER, maxHostMemoryBytes: 1 << 20 }, { never: () => new Promise(() => {}) });
  assert.equal(executor.options.maxHostMemoryBytes, 1 << 20);
  const { output } = await executor.run('try { for (;;) never("x".repeat(100000)) } catch (e) { [e.name, e.message] }');
  assert.equal(output[0], 'RangeError');
  assert.match(output[1], /maxHostMemoryBytes/);
  assert.throws(() => new SESExecutor({ maxHostMemoryBytes: 1 }), TypeError);
});

test('large variables and answers are read while Node goes on', async () => {
  const list = Array.from({ length: 50_000 }, (_, i) => ({ i, big: i === 7 ? -(2n ** 10_000n) : 1n }));
  const executor = await ready({ ...FOREVER, maxResultBytes: 64 << 20 }, { get: () => list, getLater: async () => list });
  await executor.sendVariables({ list, big: 2n ** 100_000n });
  const { output } = await executor.run('[list.length, get()[49999].i, (await getLater())[7].big === -(2n ** 10000n), big === 2n ** 100000n]');
  assert.deepEqual(output, [50_000, 49_999, true, true]);
});

test('an error with much in it fails the call and nothing else', async () => {
  const executor = await ready(FOREVER, {
    fail() {
      throw Object.assign(new Error('x'.repeat(100_000)), { big: 2n ** 10_000n, list: Array.from({ length: 5000 }, (_, i) => i) });
    },
  });
  const { output } = await executor.run('try { fail() } catch (e) { [e.message.length, e.big === 2n ** 10000n, e.list.length] }');
  assert.deepEqual(output, [100_000, true, 5000]);
});
