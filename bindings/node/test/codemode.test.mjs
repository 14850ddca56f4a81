// Cloudflare's codemode as it is published, with our executor in it.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { test } from 'node:test';
import { tool } from 'ai';
import { z } from 'zod';
import { createExecutor } from 'hotcell/codemode';

// The package also has parts for Workers, and asks their runtime for them when it is loaded.
const workers = 'data:text/javascript,export class RpcTarget{} class Held{constructor(ctx,env){this.ctx=ctx;this.env=env}} export class WorkerEntrypoint extends Held{} export class DurableObject extends Held{} export const env = {}; export const exports = {};';
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

const { CodemodeConnector, CodemodeRuntime, createCodemodeRuntime } = await import('@cloudflare/codemode');
const { default: initSqlJs } = await import('sql.js');
const SQL = await initSqlJs();

/** What a Durable Object has, as far as a runtime uses it: facets with a database each. */
function durable() {
  const facets = new Map();
  const make = (kind) => {
    const database = new SQL.Database();
    const exec = (query, ...bindings) => {
      if (bindings.length === 0) {
        const [found] = database.exec(query);
        return { toArray: () => (found?.values ?? []).map((row) => Object.fromEntries(row.map((value, i) => [found.columns[i], value]))) };
      }
      const statement = database.prepare(query);
      statement.bind(bindings);
      const rows = [];
      while (statement.step()) rows.push(statement.getAsObject());
      statement.free();
      return { toArray: () => rows };
    };
    return new kind({ storage: { sql: { exec } } }, {});
  };
  return {
    exports: { CodemodeRuntime },
    facets: {
      get(name, init) {
        if (!facets.has(name)) facets.set(name, make(init().class));
        return facets.get(name);
      },
    },
  };
}

class Shop extends CodemodeConnector {
  bought = [];

  name() {
    return 'shop';
  }

  tools() {
    return {
      price: { description: 'What it costs', inputSchema: { type: 'object', properties: { item: { type: 'string' } } }, execute: async ({ item }) => item.length },
      buy: { description: 'Buys it', inputSchema: { type: 'object', properties: { item: { type: 'string' } } }, requiresApproval: true, execute: async ({ item }) => this.bought.push(item) },
    };
  }
}

function runtime() {
  const ctx = durable();
  const shop = new Shop(ctx, {});
  return { shop, runtime: createCodemodeRuntime({ ctx, connectors: [shop], executor: createExecutor() }) };
}

test('a durable runtime pauses for approval and goes on from there', async () => {
  const { shop, runtime: durableRuntime } = runtime();
  const code = `async () => {
    const price = await shop.price({ item: 'tea' });
    const chance = await codemode.step('chance', () => 4);
    const count = await shop.buy({ item: 'tea' });
    return { price, chance, count };
  }`;
  const paused = await durableRuntime.execute({ code });
  assert.equal(paused.status, 'paused');
  assert.deepEqual(paused.pending.map(({ connector, method, args }) => [connector, method, args]), [['shop', 'buy', { item: 'tea' }]]);
  assert.deepEqual(shop.bought, []);
  const completed = await durableRuntime.approve({ executionId: paused.executionId });
  assert.deepEqual([completed.status, completed.result], ['completed', { price: 3, chance: 4, count: 1 }]);
  assert.deepEqual(shop.bought, ['tea']);
});

test('a durable runtime is told what went wrong, and finds, saves and runs snippets', async () => {
  const { runtime: durableRuntime } = runtime();
  const failed = await durableRuntime.execute({ code: 'async () => { return missing + 1; }' });
  assert.equal(failed.status, 'error');
  assert.match(failed.error, /missing is not defined[^]*shop, codemode/);
  const found = await durableRuntime.execute({ code: 'async () => (await codemode.search("price")).results.map((one) => one.path)' });
  assert.ok(found.result.includes('shop.price'), JSON.stringify(found));
  const saved = await durableRuntime.execute({ code: 'async (input) => await shop.price({ item: (input ?? {}).item ?? "x" })' });
  assert.equal(saved.result, 1);
  await durableRuntime.saveSnippet('cost', { description: 'Costs', executionId: saved.executionId });
  const again = await durableRuntime.execute({ code: 'async () => await codemode.run("cost", { item: "coffee" })' });
  assert.deepEqual([again.status, again.result], ['completed', 6]);
});
