// Mastra's code mode as it is published, with our transport in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCodeMode, createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { createTransport } from 'hotcell/mastra';

const tools = {
  price: createTool({ id: 'get-price', description: 'What it costs', inputSchema: z.object({ item: z.string() }), outputSchema: z.object({ cents: z.number() }), execute: async ({ item }) => ({ cents: item.length }) }),
  fail: createTool({ id: 'fail', description: 'Fails', inputSchema: z.object({}), execute: async () => { throw new RangeError('out of order'); } }),
};

async function run(code, options, config) {
  const { tool } = createCodeMode({ tools, ...config }, createTransport(options));
  // What an agent of Mastra gives a tool.
  return await tool.execute({ code }, { observe: { span: (_, work) => work(), log() {} } });
}

test('a program runs without a workspace and calls tools under the names it is told', async () => {
  const { instructions } = createCodeMode({ tools }, createTransport());
  assert.match(instructions, /external_get_price/);
  const code = `const all: { cents: number }[] = await Promise.all(['tea', 'coffee'].map((item) => external_get_price({ item })));
    console.log('asked', all.length);
    return all.reduce((sum, one) => sum + one.cents, 0);`;
  assert.deepEqual(await run(code), { success: true, result: 9, logs: ['asked 2'] });
});

test('what goes wrong is a result with a place', async () => {
  const thrown = await run('console.log("hm");\nconst rows = null;\nreturn rows.length;');
  assert.deepEqual([thrown.success, thrown.error.name, thrown.error.line, thrown.logs], [false, 'TypeError', 3, ['hm']]);
  assert.match(thrown.error.message, /> 3 \| return rows\.length;/);
  assert.match((await run('return await external_fail({})')).error.message, /out of order/);
  assert.match((await run('return await external_get_price({ item: 7 })')).error.message, /item/);
  assert.match((await run('return await external_get_prise({ item: "x" })')).error.message, /external_get_price/);
  assert.match((await run('while (true) {}', {}, { timeout: 50 })).error.message, /timed out after 50ms/);
  assert.match((await run('const a = ;')).error.message, /validation/);
});

test('a transport tells of calls, and stops when it is told to', async () => {
  const transport = createTransport();
  const told = [];
  const controller = new AbortController();
  const result = await transport.run({
    program: 'await external_a(1); await external_stop()',
    toolIds: ['a', 'stop'],
    dispatch: async (tool, args) => (tool === 'a' ? args : new Promise(() => controller.abort())),
    timeout: 1000,
    abortSignal: controller.signal,
    onExternalCall: (tool, args) => told.push([tool, args]),
    onExternalResult: (tool, ms, error) => told.push([tool, typeof ms, error]),
  });
  assert.deepEqual([result.success, result.error.name], [false, 'ERR_CANCELLED']);
  assert.deepEqual(told, [['a', 1], ['a', 'number', undefined], ['stop', undefined]]);
  const twice = await transport.run({ program: '1', toolIds: ['a-b', 'a_b'], dispatch: async () => 1, timeout: 1000 });
  assert.match(twice.error.message, /external_a_b/);
});
