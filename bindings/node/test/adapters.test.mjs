import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createExecutor as forCodemode } from 'hotcell/codemode';
import { createExecutor as forAgents } from 'hotcell/smolagents';

const fns = {
  add: async ({ a, b }) => a + b,
  fail: async () => {
    throw new Error('tool failed');
  },
};

const programs = {
  'an async arrow function': 'async () => { const n = await codemode.add({ a: 1, b: 2 }); return n * 2; }',
  'an arrow function with a semicolon': 'async () => (await codemode.add({ a: 1, b: 2 })) * 2;\n',
  'an arrow function with types': 'async (): Promise<number> => { const n: number = await codemode.add({ a: 1, b: 2 }); return n * 2; }',
  'a function in a fence': '```js\nasync () => { return 6; }\n```',
  'a function that is exported': 'export default async () => 6',
  'a function declaration': 'async function main() { return 6; }',
  'statements and an expression': 'const n = await codemode.add({ a: 1, b: 2 });\nn * 2',
  'statements and a return': 'const n = await codemode.add({ a: 1, b: 2 });\nreturn n * 2;',
  'an expression': '6',
  'a function that is called': '(async () => 6)()',
};

for (const [name, code] of Object.entries(programs)) {
  test(`codemode: ${name} gives its result`, async () => {
    assert.deepEqual(await forCodemode().execute(code, fns), { result: 6, logs: [] });
  });
}

test('codemode: providers have names of their own', async () => {
  const { result } = await forCodemode().execute(
    'async () => [await math.add({ a: 1, b: 1 }), await text.join("a", "b"), typeof codemode, Object.keys(math).sort()]',
    [
      { name: 'math', fns: { add: fns.add, 'not-a-name': async () => 1, delete: async () => 2 } },
      { name: 'text', fns: { join: async (...parts) => parts.join('+') } },
    ],
  );
  assert.deepEqual(result, [2, 'a+b', 'undefined', ['add', 'delete_', 'not_a_name']]);
});

test('codemode: a prelude adds functions to its namespace, which is closed then', async () => {
  const seen = [];
  const { result } = await forCodemode().execute(
    'async () => [await codemode.twice(() => 4), await codemode.ask(1, 2), (() => { try { codemode.x = 1 } catch { return "closed" } })()]',
    [{ name: 'codemode', fns: { ask: async (...args) => seen.push(args) }, prelude: 'codemode.twice = async (work) => { await codemode.ask(); return work() * 2; };' }],
  );
  assert.deepEqual([result, seen], [[8, 2, 'closed'], [[], [1, 2]]]);
});

test('codemode: a connector has whatever method code calls', async () => {
  const binding = {
    async callTool(method, args) {
      if (method === 'pause') return { __codemode_control__: 'pause' };
      if (method === 'fail') return { __codemode_control__: 'error', message: 'no such thing' };
      return [method, args];
    },
  };
  const run = async (code) => await forCodemode().execute(code, [{ name: 'codemode', fns: {} }], { connectors: [{ name: 'github', binding }] });
  assert.deepEqual((await run('async () => [await github.list_issues({ n: 1 }), await github.now()]')).result, [['list_issues', { n: 1 }], ['now', undefined]]);
  assert.match((await run('async () => await github.fail()')).error, /no such thing/);
  assert.match((await run('async () => await github.pause()')).error, /__CODEMODE_PAUSE__/);
  assert.deepEqual((await run('async () => typeof await github')).result, 'object');
});

test('codemode: names that are the same in code are refused', async () => {
  assert.match((await forCodemode().execute('1', { 'a-b': async () => 1, a_b: async () => 2 })).error, /are both a_b/);
});

test('codemode: errors are results', async () => {
  const executor = forCodemode({ timeoutMs: 100 });
  const cases = {
    'async () => { console.log("a"); console.warn("b"); throw new Error("own") }': [/own/, ['a', '[warn] b']],
    'async () => codemode.fail()': [/tool failed/, []],
    'async () => { while (true) {} }': [/timed out/, []],
    'async () => {': [/validation/i, []],
    'async () => codemode.missing()': [/not a function/, []],
  };
  for (const [code, [error, logs]] of Object.entries(cases)) {
    const result = await executor.execute(code, fns);
    assert.equal(result.result, undefined);
    assert.match(result.error, error);
    assert.deepEqual(result.logs, logs);
  }
  assert.match((await executor.execute('1', [{ name: 'not a name', fns: {} }])).error, /identifier/);
  assert.match((await executor.execute('1', [{ name: 'a', fns: {} }, { name: 'a', fns: {} }])).error, /Duplicate/);
});

test('codemode: programs do not see each other', async () => {
  const executor = forCodemode();
  await executor.execute('async () => { globalThis.leak = 1; }', fns);
  assert.deepEqual((await executor.execute('async () => typeof leak', fns)).result, 'undefined');
});

test('smolagents: tools and variables are there after every init', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'hotcell-agent-'));
  const executor = forAgents({
    timeoutMs: 100,
    workspace,
    variables: { question: 'why' },
    tools: [
      {
        name: 'document_qa',
        description: 'Answers questions',
        inputs: { question: { type: 'string', description: 'What to ask' }, page: { type: 'any', nullable: true } },
        output_type: 'string',
        prefix: '> ',
        forward(question) {
          return this.prefix + question;
        },
      },
    ],
  });
  await executor.init();
  const step = 'final_answer(document_qa(question))';
  assert.deepEqual((await executor.run(step)).output, '> why');
  await executor.run('await write({ path: "x.txt", content: "x" })');
  await assert.rejects(executor.run('document_qa(1)'), /question/);
  await assert.rejects(executor.run('await new Promise(() => {}); while (true) {}'));
  await assert.rejects(executor.run('for (const x of (function* () { for (let i = 0; i < 1; i++) yield i })()) "a".repeat(1e9).repeat(1e9)'));
  await executor.cleanup();
  await executor.init();
  assert.deepEqual((await executor.run(step)).output, '> why');
  assert.match(executor.renderPrompt(), /document_qa\(question: string/);
  rmSync(workspace, { recursive: true });
});

test('smolagents: a step goes from an answer to an observation', async () => {
  const executor = forAgents({ timeoutMs: 200, maxOperations: 1e9, tools: { price: async () => 3 } });
  await executor.init();
  const steps = [];
  for (const answer of [
    'I do not know.',
    '<code>\nawait prise("tea")\n</code>',
    '<code>\nwhile (true) {}\n</code>',
    '<code>\nfinal_answer(await price("tea"))\n</code>',
  ]) {
    steps.push(await executor.step(answer));
  }
  assert.match(steps[0].observation, /<code>/);
  assert.match(steps[1].observation, /did you mean `price`\?/);
  assert.match(steps[2].observation, /Execution timed out after 200ms/);
  assert.deepEqual([steps[3].observation, steps[3].is_final_answer, steps[3].output], ['Final answer: 3', true, 3]);
  await executor.cleanup();
});
