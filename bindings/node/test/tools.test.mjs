import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { SESExecutor, tool, toolsFromSchemas } from 'hotcell';

async function ready(tools, options) {
  const executor = new SESExecutor(options);
  await executor.init();
  await executor.sendTools(tools);
  return executor;
}

test('a function that returns a value is synchronous inside', async () => {
  const executor = await ready({ add: (a, b) => a + b });
  assert.deepEqual((await executor.run('[typeof add(1, 2), add(1, 2)]')).output, ['number', 3]);
});

test('a function that returns a promise is asynchronous inside', async () => {
  const executor = await ready({ add: async (a, b) => a + b });
  const { output } = await executor.run('const p = add(1, 2); [p instanceof Promise, await p]');
  assert.deepEqual(output, [true, 3]);
});

test('anything with a then is a promise', async () => {
  const executor = await ready({ later: () => ({ then: (resolve) => setTimeout(resolve, 1, 'now') }) });
  assert.equal((await executor.run('await later()')).output, 'now');
});

test('a function may decide anew with every call', async () => {
  const executor = await ready({ maybe: (late) => (late ? Promise.resolve('late') : 'now') });
  const { output } = await executor.run('const p = maybe(true); [maybe(false), typeof p, await p]');
  assert.deepEqual(output, ['now', 'object', 'late']);
});

test('asynchronous calls overlap', async () => {
  const waiting = [];
  // None is answered before all are there.
  const meet = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 50) waiting.forEach((go, i) => go(i));
    });
  const executor = await ready({ meet });
  const { output } = await executor.run('(await Promise.all(Array.from({ length: 50 }, () => meet()))).reduce((a, b) => a + b)');
  assert.equal(output, 1225);
});

test('mode makes a function synchronous or asynchronous, whatever it returns', async () => {
  const executor = await ready({
    sync: tool(async () => 'value', { mode: 'sync' }),
    async: tool(() => 'value', { mode: 'async' }),
  });
  assert.deepEqual((await executor.run('[typeof sync(), typeof async()]')).output, ['string', 'object']);
});

test('errors keep their name, message and plain properties', async () => {
  class QuotaError extends Error {
    name = 'QuotaError';
    code = 'E_QUOTA';
    left = { calls: 0 };
    socket = () => {};
  }
  for (const fail of [
    () => {
      throw new QuotaError('no more', { cause: new RangeError('limit') });
    },
    async () => {
      throw new QuotaError('no more', { cause: new RangeError('limit') });
    },
  ]) {
    const executor = await ready({ fail });
    const { output } = await executor.run(`
      try { await fail(); } catch (e) {
        [e instanceof Error, e.name, e.message, e.code, e.left, 'socket' in e, e.cause.name, e.cause.message]
      }`);
    assert.deepEqual(output, [true, 'QuotaError', 'no more', 'E_QUOTA', { calls: 0 }, false, 'RangeError', 'limit']);
    const { output: stack } = await executor.run('try { await fail(); } catch (e) { String(e.stack) }');
    assert.ok(!stack.includes('tools.test.mjs'), 'the host’s stack stays outside');
  }
});

test('an error of a kind of JavaScript is one inside', async () => {
  const executor = await ready({
    fail: () => {
      throw new TypeError('wrong');
    },
  });
  assert.equal((await executor.run('try { fail() } catch (e) { e instanceof TypeError }')).output, true);
});

test('whatever is thrown arrives as an error', async () => {
  const executor = await ready({
    fail: (what) => {
      throw [ 'text', undefined, { code: 1 }, Symbol('s'), new Proxy({}, { get() { throw new Error('trap'); } }) ][what];
    },
    hostile: () => {
      throw Object.defineProperty(new Error('x'), 'message', {
        get() {
          throw new Error('getter');
        },
      });
    },
  });
  const { output } = await executor.run(`
    const seen = [];
    for (let i = 0; i < 5; i++) try { fail(i) } catch (e) { seen.push(e.message) }
    try { hostile() } catch (e) { seen.push(e.message) }
    seen`);
  assert.equal(output[0], 'text');
  assert.match(output[1], /threw undefined/);
  assert.match(output[2], /threw \{ code: 1 \}/);
  assert.match(output[3], /Symbol\(s\)/);
  assert.equal(output.length, 6);
  assert.match(output[5], /cannot be read/);
});

test('a result that cannot cross is a failure of the tool that says where', async () => {
  const executor = await ready({ get: async () => ({ list: [1, { on: () => {} }] }), self: () => () => {} });
  await assert.rejects(executor.run('await get()'), (error) => {
    assert.equal(error.code, 'ERR_TOOL_PROXY_FAIL');
    assert.match(error.message, /the result of get\.list\[1\]\.on is a function and cannot enter the sandbox/);
    return true;
  });
  await assert.rejects(executor.run('self()'), /the result of self is a function/);
});

test('methods see the object that they were sent in', async () => {
  const executor = await ready({
    base: 40,
    ...{ base: () => 40 },
    add(n) {
      return this.base() + n;
    },
  });
  assert.equal((await executor.run('add(2)')).output, 42);
});

test('tools can be sent again, and only what was sent is replaced', async () => {
  const executor = await ready({ a: () => 'a1', b: () => 'b1' });
  await executor.sendTools({ a: () => 'a2' });
  assert.deepEqual((await executor.run('[a(), b()]')).output, ['a2', 'b1']);
});

test('a tool may use the executor of another', async () => {
  const inner = await ready({ shout: (text) => text.toUpperCase() });
  const outer = await ready({ ask: async (code) => (await inner.run(code)).output });
  assert.equal((await outer.run('await ask(`shout("hi")`)')).output, 'HI');
});

test('a tool of the executor itself cannot run it again', async () => {
  const executor = await ready({ again: async () => (await executor.run('1')).output });
  await assert.rejects(executor.run('await again()'), (error) => error.code === 'ERR_TOOL_PROXY_FAIL' && /Invalid executor state: RUNNING/.test(error.message));
});

test('what is not a function is no tool', async () => {
  const executor = await ready({});
  await assert.rejects(executor.sendTools({ x: 1 }), TypeError);
  await assert.rejects(executor.sendTools(null), TypeError);
  await assert.rejects(executor.sendTools({ 'not a name': () => 1 }), (error) => error.code === 'ERR_VALIDATION_FAILED');
  await assert.rejects(executor.sendTools({ x: { execute: () => 1, colour: 'red' } }), /colour/);
});

const specs = [
  {
    name: 'search',
    description: 'Searches the web',
    parameters: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } }, required: ['query'] },
    returns: { type: 'array', items: { type: 'string' } },
  },
  { name: 'remove', description: 'Removes a page', inputSchema: { type: 'object', properties: { id: { type: 'number' } } }, permission: 'deny' },
];

test('schemas check arguments and describe tools', async () => {
  const calls = [];
  const executor = await ready(
    toolsFromSchemas(specs, async (name, args) => {
      calls.push([name, args]);
      return ['hit'];
    }),
  );
  assert.deepEqual((await executor.run('await search({ query: "x" })')).output, ['hit']);
  await assert.rejects(executor.run('await search({ query: 1 })'), (error) => error.code === 'ERR_TOOL_PROXY_FAIL' && /query/.test(error.message));
  await assert.rejects(executor.run('await remove({ id: 1 })'), /may not be called/);
  assert.deepEqual(calls, [['search', { query: 'x' }]]);
  assert.deepEqual(executor.tools.map(({ name, description }) => [name, description]), [
    ['remove', 'Removes a page'],
    ['search', 'Searches the web'],
  ]);
  assert.match(executor.renderPrompt(), /declare function search\(args: \{\s*query: string;[^}]*limit\?: number;\s*\}\): Promise<string\[\]>/);
});

test('schemas may have a handler each', async () => {
  const executor = await ready(toolsFromSchemas([specs[0]], { search: ({ query }) => [query] }));
  assert.deepEqual((await executor.run('search({ query: "q" })')).output, ['q']);
  assert.throws(() => toolsFromSchemas(specs, { search: () => 1 }), /remove/);
  assert.throws(() => toolsFromSchemas([specs[0], specs[0]], () => 1), /two/);
  assert.throws(() => toolsFromSchemas([{}], () => 1), /name/);
});

test('a description with a function in it is a tool', async () => {
  const executor = await ready({
    add: { description: 'Adds', inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, execute: ({ a }) => a + 1 },
  });
  assert.equal((await executor.run('add({ a: 1 })')).output, 2);
});

test('a call that needs approval waits for it', async () => {
  const asked = [];
  const decide = { yes: () => true, no: async () => false, why: async () => 'not on a Sunday', throws: () => { throw new Error('away'); } };
  const pay = tool(async (args) => `paid ${args.to}`, { permission: 'ask' });
  const executor = await ready({ pay }, {
    onApproval: (request) => {
      asked.push(request);
      return decide[request.arguments[0].to]();
    },
  });
  assert.equal((await executor.run('await pay({ to: "yes" })')).output, 'paid yes');
  await assert.rejects(executor.run('await pay({ to: "no" })'), /may not be called: it was not approved/);
  await assert.rejects(executor.run('await pay({ to: "why" })'), /not on a Sunday/);
  await assert.rejects(executor.run('await pay({ to: "throws" })'), /away/);
  assert.deepEqual(asked[0], { tool: 'pay', arguments: [{ to: 'yes' }] });
  const alone = await ready({ pay });
  await assert.rejects(alone.run('await pay({ to: "x" })'), /nobody is there/);
});

test('a tool runs in the context of the run that calls it', async () => {
  const storage = new AsyncLocalStorage();
  const who = () => storage.getStore();
  const executor = await ready({ who, later: async () => (await null, who()) }, { runConcurrency: 'queue', maxQueuedRuns: 10 });
  const twin = await executor.fork();
  const code = '[who(), await later(), who()]';
  const runs = [
    storage.run('a', () => executor.run(code)),
    storage.run('b', () => executor.run(code)),
    storage.run('c', () => twin.run(code)),
    executor.run(code),
  ];
  const outputs = (await Promise.all(runs)).map(({ output }) => output);
  assert.deepEqual(outputs, ['a', 'b', 'c', undefined].map((name) => [name, name, name]));
});

test('a run that ended is not called back', async () => {
  let calls = 0;
  const executor = await ready({ count: () => ++calls, slow: () => new Promise((resolve) => setTimeout(resolve, 5)) });
  const { output } = await executor.run('slow().then(() => count()); final_answer("done")');
  assert.equal(output, 'done');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(calls, 0);
});
