// What a tool may know of the call that it answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool as aiTool } from 'ai';
import { z } from 'zod';
import { SESExecutor, tool } from 'hotcell';

async function ready(tools, options) {
  const executor = new SESExecutor(options);
  await executor.init();
  await executor.sendTools(tools);
  return executor;
}

test('a tool gets the context of the run, and the code does not', async () => {
  const whoami = tool((greeting, { context, tool, callId }) => [greeting, context.user, tool, typeof callId], { context: true });
  const executor = await ready({ whoami, plain: (...args) => args.length });
  const { output } = await executor.run("[whoami('hi'), plain(1)]", { context: { user: 'ada' } });
  assert.deepEqual(output, [['hi', 'ada', 'whoami', 'string'], 1]);
  const [one, two] = await Promise.all([executor, await executor.fork()].map((each, i) => each.run("whoami('x')", { context: { user: i } })));
  assert.deepEqual([one.output[1], two.output[1]], [0, 1]);
  await executor.cleanup();
});

test('its signal fires when the run ends before the answer', async () => {
  const fired = [];
  const wait = tool(
    (name, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          fired.push(name);
          resolve();
        });
      }),
    { context: true },
  );
  const executor = await ready({ wait, done: tool((_, { signal }) => signal.aborted, { context: true }) }, { timeoutMs: 200 });
  await assert.rejects(executor.run("await wait('late')"), { code: 'ERR_EXEC_TIMEOUT' });
  assert.deepEqual(fired, ['late']);
  await executor.cleanup();
  await executor.init();
  await executor.sendTools({ wait });
  const run = executor.run("await wait('off')", { timeoutMs: 10_000 });
  setTimeout(() => executor.cancel(), 20);
  await assert.rejects(run, { code: 'ERR_CANCELLED' });
  assert.deepEqual(fired, ['late', 'off']);
  await executor.cleanup();
});

test('a call that is awaited by a later run is not called off', async () => {
  let answer;
  const fired = [];
  const ask = tool(
    (_, { signal }) => {
      signal.addEventListener('abort', () => fired.push('abort'));
      return new Promise((resolve) => (answer = resolve));
    },
    { context: true },
  );
  const executor = await ready({ ask });
  await executor.run('const later = ask(1); 0');
  await executor.run('1');
  assert.deepEqual(fired, []);
  answer(42);
  assert.equal((await executor.run('await later')).output, 42);
  await executor.cleanup();
});

test('tools of the AI SDK get what it would give them', async () => {
  const seen = [];
  const find = aiTool({
    inputSchema: z.object({ q: z.string() }),
    execute: async ({ q }, { abortSignal, toolCallId, experimental_context }) => {
      seen.push(abortSignal instanceof AbortSignal, typeof toolCallId, experimental_context);
      return q;
    },
  });
  const executor = await ready({ find });
  assert.equal((await executor.run("await find({ q: 'x' })", { context: 'mine' })).output, 'x');
  assert.deepEqual(seen, [true, 'string', 'mine']);
  await executor.cleanup();
});

test('code that is a function is called if it is asked for', async () => {
  const executor = await ready({});
  const code = 'async () => {\n  return 6 * 7;\n}';
  assert.equal((await executor.run(code, { callFunction: true })).output, 42);
  assert.match((await executor.run(code)).diagnostics[0].message, /never called/);
  await executor.cleanup();
});
