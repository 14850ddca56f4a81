// Code mode in the AI SDK as it is published.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { codeModeTool, createCodeModeTool, runCodeMode } from 'hotcell/ai';

const seen = [];
const tools = {
  getStock: tool({
    description: 'How many there are',
    inputSchema: z.object({ product: z.string().transform((text) => text.toUpperCase()) }),
    outputSchema: z.object({ units: z.number() }),
    execute: async ({ product }, { toolCallId, experimental_context }) => {
      seen.push([product, toolCallId, experimental_context]);
      return { product, units: product.length };
    },
  }),
  'send-mail': tool({ description: 'Sends', inputSchema: z.object({ to: z.string() }), needsApproval: true, execute: async ({ to }) => `sent to ${to}` }),
};

test('a program calls tools and gives plain data', async () => {
  const js = `
    const [tea, coffee] = await Promise.all([tools.getStock({ product: 'tea' }), tools.getStock({ product: 'coffee' })]);
    const all: number = tea.units + coffee.units;
    return { all, when: new Date(0), none: undefined };`;
  const result = await runCodeMode({ js, tools, toolExecutionOptions: { toolCallId: 'outer', messages: [], experimental_context: { user: 1 } } });
  assert.deepEqual(result, { all: 9, when: '1970-01-01T00:00:00.000Z' });
  assert.deepEqual(seen.slice(-2), [['TEA', 'outer:tool-1', { user: 1 }], ['COFFEE', 'outer:tool-2', { user: 1 }]]);
  assert.equal(await runCodeMode({ js: 'return undefined', tools }), undefined);
});

test('what goes wrong is thrown with what a model needs', async () => {
  const fails = async (js, words, options) => await assert.rejects(runCodeMode({ js, tools, options }), words);
  await fails('return await tools.getStok({ product: "x" })', /did you mean `tools\.getStock`\?/);
  await fails('return await tools.getStock({ product: 1 })', /product/);
  await fails('const n = null;\nreturn n.x', /line 2[^]*> 2 \| return n\.x/);
  await fails('while (true) {}', /timed out after 50ms/, { executionPolicy: { timeoutMs: 50 } });
  await fails('for (let i = 0; i < 3; i++) await tools.getStock({ product: "x" })', /maxToolCalls/, { executionPolicy: { maxBridgeRequests: 2 } });
  await fails('return await tools.getStock({ product: "x".repeat(50) })', /at most 20/, { executionPolicy: { maxToolInputBytes: 20 } });
  await assert.rejects(runCodeMode({ js: '1', options: { executionPolicy: { nonsense: 1 } } }), /unknown limit "nonsense"/);
  assert.throws(() => createCodeModeTool({}, { approval: { mode: 'later' } }), /"callback" or "interrupt"/);
});

test('tools that need approval ask for it', async () => {
  const js = 'return await tools.send_mail({ to: "ada" })';
  await assert.rejects(runCodeMode({ js, tools }), /needs approval, and nobody is there/);
  const asked = [];
  const approved = { approval: { onApprovalRequired: (request) => asked.push([request.toolName, request.input]) && 'approved' } };
  assert.equal(await runCodeMode({ js, tools, options: approved }), 'sent to ada');
  assert.deepEqual(asked, [['send-mail', { to: 'ada' }]]);
  const denied = { approval: { onApprovalRequired: async () => ({ approved: false, reason: 'not today' }) } };
  await assert.rejects(runCodeMode({ js, tools, options: denied }), /not today/);
});

test('a signal ends a program, and its tools hear of it', async () => {
  const controller = new AbortController();
  let heard;
  const waiting = tool({ description: 'Waits', inputSchema: z.object({}), execute: (_, { abortSignal }) => new Promise((_, fail) => {
    abortSignal.addEventListener('abort', () => fail((heard = abortSignal.reason)));
    controller.abort(new Error('enough'));
  }) });
  await assert.rejects(runCodeMode({ js: 'await tools.waiting({})', tools: { waiting }, toolExecutionOptions: { abortSignal: controller.signal } }), /cancelled/);
  assert.ok(heard instanceof Error);
});

/** A model that says these things, one after the other. */
function model(...contents) {
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = contents.shift();
      const isCall = content[0].type === 'tool-call';
      return { content, finishReason: { unified: isCall ? 'tool-calls' : 'stop', raw: undefined }, usage, warnings: [] };
    },
  });
}

const call = (js) => [{ type: 'tool-call', toolCallId: 'c1', toolName: 'code', input: JSON.stringify({ js }) }];

test('a model writes a program and reads what it gives', async () => {
  const code = createCodeModeTool({ getStock: tools.getStock });
  assert.match(code.description, /declare namespace tools[^]*function getStock\(args: \{ product: string;? \}\): Promise<\{ units: number;? \}>/);
  const { steps, text } = await generateText({
    model: model(call('return (await tools.getStock({ product: "tea" })).units'), [{ type: 'text', text: 'three' }]),
    tools: { code },
    stopWhen: isStepCount(3),
    prompt: 'How many?',
  });
  assert.equal(text, 'three');
  assert.equal(steps[0].toolResults[0].output, 3);
});

test('the AI SDK binds the tools that programs may call', async () => {
  const { steps } = await generateText({
    model: model(call('return [await tools.getStock({ product: "tea" }), typeof tools.hidden]'), [{ type: 'text', text: 'done' }]),
    tools: { code: codeModeTool(), getStock: tools.getStock, hidden: tools.getStock },
    experimental_toolCallers: { getStock: ['code'] },
    stopWhen: isStepCount(3),
    prompt: 'How many?',
  });
  assert.deepEqual(steps[0].toolResults[0].output, [{ product: 'TEA', units: 3 }, 'undefined']);
});
