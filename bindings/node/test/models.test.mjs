// What a model and its host meet: schemas of other libraries, namespaces, observations, and words for what is misspelt.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { jsonSchema, tool as aiTool, zodSchema } from 'ai';
import * as v from 'valibot';
import { z } from 'zod';
import { createExecutor as forCodemode } from 'hotcell/codemode';
import { SESExecutor, fileTools, observation, parseCode, tool } from 'hotcell';

async function ready(tools, options) {
  const executor = new SESExecutor(options);
  await executor.init();
  if (tools) await executor.sendTools(tools);
  return executor;
}

const city = z.object({ city: z.string().describe('Where'), days: z.int().optional() });

for (const [name, schema] of Object.entries({
  'a schema of zod': city,
  'a schema of the AI SDK': zodSchema(city),
  'JSON Schema in the wrapper of the AI SDK': jsonSchema({
    type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'],
  }),
})) {
  test(`${name} is checked and told`, async () => {
    const seen = [];
    const executor = await ready({
      forecast: aiTool({ description: 'Tells the weather', inputSchema: schema, execute: async (args) => seen.push(args) }),
    });
    await executor.run("await forecast({ city: 'Paris', days: 2 })");
    assert.deepEqual(seen, [{ city: 'Paris', days: 2 }]);
    await assert.rejects(executor.run('await forecast({ town: 1 })'), /"city" is a required property.*call it as forecast\(\{ city, days \}\)/);
    assert.match(executor.renderPrompt(), /declare function forecast\(args: \{[^}]*city: string/);
    await executor.cleanup();
  });
}

test('a schema that cannot be made JSON Schema is refused with the reason', async () => {
  const executor = await ready();
  const about = { parameters: v.object({ city: v.string() }) };
  assert.throws(() => tool(async () => 1, about), /valibot says nothing of JSON Schema here.*@valibot\/to-json-schema/);
  await assert.rejects(
    executor.sendTools({ f: { inputSchema: v.object({}), execute: () => 1 } }),
    /the schema of the parameters of the tool f is no JSON Schema/,
  );
  await assert.rejects(executor.sendTools({ f: { inputSchema: 'string', execute: () => 1 } }), /it is a string/);
  await executor.cleanup();
});

test('a tool with an object for its schema gets an object', async () => {
  const seen = [];
  const executor = await ready({ forecast: tool(async (...args) => seen.push(args), { parameters: city }) });
  await executor.run("await forecast('Paris', 3)");
  assert.deepEqual(seen, [[{ city: 'Paris', days: 3 }]]);
  await executor.cleanup();
});

test('tools may be in namespaces', async () => {
  const Host = {
    prefix: 'doc:',
    async readDoc(name) {
      return this === Host ? `doc:${name}` : 'lost';
    },
  };
  delete Host.prefix;
  const executor = await ready({ Host, plain: () => 1 });
  const { output } = await executor.run("[await Host.readDoc('a'), plain(), Object.isFrozen(Host)]");
  assert.deepEqual(output, ['doc:a', 1, true]);
  assert.match(executor.renderPrompt(), /declare namespace Host \{\n {2}function readDoc/);
  const fork = await executor.fork();
  assert.equal((await fork.run("await Host.readDoc('b')")).output, 'doc:b');
  await assert.rejects(executor.sendTools({ Other: { nothing: 1 } }), /the tool Other.nothing is not a function/);
  await fork.cleanup();
  await executor.cleanup();
});

test('names that the host sends are no mistake', async () => {
  const executor = await ready();
  await executor.sendVariables({ document: { title: 'a' }, location: 'here', history: [] });
  const { diagnostics } = await executor.run('[document.title, location, history.length]');
  assert.deepEqual(diagnostics, []);
  const found = await executor.run('typeof globalThis.process');
  assert.deepEqual(found.diagnostics, []);
  const error = await executor.run('globalThis.process.env').catch((error) => error);
  assert.match(observation(error), /`process` does not exist here/);
  await executor.cleanup();
});

test('wrong names and arguments are found before code runs', async () => {
  const executor = await ready({ weather: tool(async () => 1, { parameters: city }), Host: { readDoc: async () => 'x' } });
  await executor.sendVariables({ question: 'why' });
  assert.deepEqual(executor.validate("const a = await weather({ city: question }); a; await Host.readDoc('x')"), []);
  const said = (code) => executor.validate(code).map(({ rule, message, fix }) => `${rule}: ${message}; ${fix}`).join('\n');
  assert.match(said("await getWeather({ city: 'x' })"), /unknown_name: `getWeather` is not defined; did you mean `weather`\?/);
  assert.match(said('await weather({ town: 1 })'), /tool_arguments: wrong arguments for `weather`: `city` is missing; call it as weather\(\{ city, days\? \}\)/);
  assert.match(said("await weather({ city: 5 })"), /`city` is a number, it must be a string/);
  assert.match(said("await Host.readDocs('x')"), /there is no tool `Host.readDocs`; did you mean `Host.readDoc`\?/);
  await executor.run('const later = 1; globalThis.more = 2;');
  assert.equal(said('later + more'), '');
  await executor.cleanup();
});

test('options that there are not are refused', async () => {
  assert.throws(() => fileTools({ root: tmpdir(), readonly: true }), /unknown option "readonly" of fileTools: the options are root, readOnly, overlay/);
  const executor = await ready();
  await assert.rejects(executor.run('1', { timeout: 5 }), /unknown option "timeout" of run/);
  assert.throws(() => new SESExecutor({ timeout: 5 }), /unknown option "timeout"/);
  await executor.cleanup();
});

test('an error that is the output keeps its name and message', async () => {
  const executor = await ready();
  const { output } = await executor.run("new RangeError('too far')");
  assert.equal(output.name, 'RangeError');
  assert.equal(output.message, 'too far');
  assert.match(output.stack, /^RangeError: too far\n {4}at /);
  await executor.cleanup();
});

test('the failure of an asynchronous tool says where and which', async () => {
  const executor = await ready({
    forecast: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      throw new Error('no such city');
    },
  });
  const error = await executor.run("const a = 1;\nawait forecast('Atlantis')").catch((error) => error);
  assert.equal(error.details.tool, 'forecast');
  assert.match(error.details.codeFrame, /> 2 \| await forecast/);
  await executor.cleanup();
});

test('calls that nobody awaits do not clog the executor', async () => {
  const executor = await ready({ price: async () => 3 }, { maxToolCallsInFlight: 10 });
  for (let i = 0; i < 40; i++) await executor.run("price('tea'); 1");
  assert.equal((await executor.run("await price('tea')")).output, 3);
  await executor.cleanup();
});

test('an observation is what a model should read next', async () => {
  const executor = await ready({ weather: async () => ({ degrees: 21 }) });
  const step = await executor.run("console.log('looking'); await weather({})");
  assert.equal(observation(step), 'Logs:\nlooking\nResult: { degrees: 21 }');
  const error = await executor.run('await wether({})').catch((error) => error);
  assert.equal(
    observation(error),
    [
      'Error: Runtime exception: ReferenceError: wether is not defined (line 1, column 7)',
      '> 1 | await wether({})',
      '    |       ^',
      'Hint: did you mean `weather`? (the tools are: weather)',
    ].join('\n'),
  );
  assert.equal(observation(await executor.execute('await wether({})')), observation(error));
  const large = observation(await executor.run("'x'.repeat(5000)"), { maxTokens: 100 });
  assert.ok(large.length <= 400 && large.includes('left out'), large);
  assert.throws(() => observation(step, { maxChars: 5 }), /unknown option "maxChars"/);
  await executor.cleanup();
});

test('a queue needs no length to be one', async () => {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const executor = await ready({ wait: () => gate }, { runConcurrency: 'queue' });
  const runs = [executor.run('await wait(); 1'), executor.run('2'), executor.run('3')];
  open();
  assert.deepEqual((await Promise.all(runs)).map(({ output }) => output), [1, 2, 3]);
  await executor.cleanup();
});

test('codemode: the one text that there is says what to do', async () => {
  const { error } = await forCodemode().execute('async () => await fetch("https://example.com")', {});
  assert.match(error, /fetch is not defined \(line 1, column 19\)[^]*there is no network/);
  const syntax = await forCodemode().execute('async () => {\n  const a = ;\n}', {});
  assert.match(syntax.error, /Code validation failed: unexpected `;` \(line 2, column 13\)/);
});

test('an agent recovers from its mistakes by prompt, parser and observations alone', async () => {
  const executor = await ready({
    stock: tool(async ({ part }) => ({ part, units: 12 }), { parameters: z.object({ part: z.string() }) }),
  });
  // What a model would answer to what it reads: each reply needs the observation before it.
  const replies = [
    [/declare function stock/, 'I look it up.\n<code>\nconst level = await stok({ part: "B-204" });\n</code>'],
    [/did you mean `stock`\?/, '<code>\n```js\nconst level = stock({ part: "B-204" });\nlevel.units\n```\n</code>'],
    [/promise, because `stock` was not awaited/, '```js\nconst level = await stock({ id: "B-204" });```'],
    [/"part" is a required property/, '<code>\nconst level = await stock({ part: "B-204" });\nlevel.units += 1;\n</code>'],
    [/frozen.*structuredClone/, '<code>\nconst level = { ...await stock({ part: "B-204" }) };\nlevel.units += ;\n</code>'],
    [/unexpected `;` \(line 2, column 16\)/, '<code>\nconst level = { ...await stock({ part: "B-204" }) };\nlevel.units += 1;\nfinal_answer(level.units);\n</code>'],
  ];
  let read = executor.renderPrompt();
  let step;
  for (const [expected, answer] of replies) {
    assert.match(read, expected);
    step = await executor.execute(parseCode(answer).code);
    read = observation(step);
  }
  assert.equal(step.is_final_answer, true);
  assert.equal(step.output, 13);
  assert.equal(read, 'Final answer: 13');
  await executor.cleanup();
});
