// Cloudflare's codemode as it is published, with our executor in it.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { test } from 'node:test';
import { tool } from 'ai';
import { z } from 'zod';
import { createExecutor } from 'hotcell/codemode';

// The package also has parts for Workers, and asks their runtime for them when it is loaded.
const workers = 'data:text/javascript,export class RpcTarget{} export class WorkerEntrypoint{} export class DurableObject{} export const env = {}; export const exports = {};';
const hooks = `export const resolve = (name, context, next) => name.startsWith('cloudflare:') ? { url: ${JSON.stringify(workers)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const { createCodeTool } = await import('@cloudflare/codemode/ai');

const tools = {
  getWeather: tool({
    description: 'Tells the weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 21 }),
  }),
};

async function run(code) {
  const codemode = createCodeTool({ tools, executor: createExecutor() });
  return await codemode.execute({ code }, { toolCallId: '1', messages: [] });
}

test('the tool that codemode makes runs code with tools', async () => {
  const code = `async () => {
    const both = await Promise.all(['Oslo', 'Porto'].map((city) => codemode.getWeather({ city })));
    console.log(both.length);
    return both.map((one) => one.degrees);
  }`;
  assert.deepEqual(await run(code), { result: [21, 21], logs: ['2'] });
});

test('what goes wrong is told with its place in the code of the model and with what to do', async () => {
  await assert.rejects(run('async () => { return await codemode.getWether({ city: "Oslo" }) }'), (error) => {
    assert.match(error.message, /codemode\.getWether is not a function \(line 1, column 37\)/);
    assert.match(error.message, /did you mean `codemode\.getWeather`\?/);
    assert.match(error.message, /> 1 \| async \(\) => \{ return await codemode\.getWether/);
    return true;
  });
  await assert.rejects(run('async () => { await fetch("https://example.com") }'), /there is no network: use a tool/);
  await assert.rejects(run('async () => {\n  const n = null;\n  console.log("here");\n  return n.x;\n}'), /\(line 4, column 10\)[^]*Console output:\nhere/);
});
