// Programs of the AI SDK's code mode that wait for somebody, and go on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { generateText, isStepCount, modelMessageSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import {
  codeModeTool,
  continueCodeModeApproval,
  continueCodeModeInterrupt,
  createCodeModeTool,
  getCodeModeApprovalResponse,
  getCodeModeInterrupt,
  isCodeModeApprovalInterrupt,
  isCodeModeInterrupt,
  requestCodeModeInterrupt,
  runCodeMode,
  setCodeModeContinuationSigningKey,
  toCodeModeApprovalMessages,
  unwrapCodeModeResult,
} from 'hotcell/ai';
import { z } from 'zod';

const options = { approval: { mode: 'interrupt' } };

/** `look`, `pay`, which needs approval, and `tell`, which write down what they are called with. */
function counted(more = {}) {
  const calls = [];
  const one = (name, about) =>
    tool({ description: name, inputSchema: z.object({ n: z.number() }), execute: async ({ n }, { toolCallId }) => (calls.push([name, n, toolCallId]), n), ...about });
  return { calls, tools: { look: one('look'), pay: one('pay', { needsApproval: true }), tell: one('tell'), ...more } };
}

/** As it is when it has been kept somewhere. */
const kept = (interrupt) => JSON.parse(JSON.stringify(interrupt));
const yes = (interrupt) => ({ approvalId: interrupt.interruptId, approved: true });
const no = (interrupt, reason) => ({ approvalId: interrupt.interruptId, approved: false, reason });
const start = async (js, tools, more = {}) => await runCodeMode({ js, tools, toolExecutionOptions: { toolCallId: 'outer' }, options: { ...options, ...more } });
const goOn = async (interrupt, tools, approvalResponse = yes(interrupt), more = {}) =>
  await continueCodeModeApproval({ interrupt: kept(interrupt), approvalResponse, tools, options, ...more });

const PAY = 'const a = await tools.look({ n: 1 });\nconst b = await tools.pay({ n: 10 });\nreturn a + b + await tools.tell({ n: 100 });';

test('a program stops at a tool that needs approval, and goes on there', async () => {
  const { calls, tools } = counted();
  const interrupt = await start(PAY, tools);
  const { interruptId, continuation, ...rest } = interrupt;
  assert.deepEqual(rest, {
    type: 'code-mode-interrupt',
    toolName: 'pay',
    toolCallId: 'outer:tool-2',
    outerToolCallId: 'outer',
    input: { n: 10 },
    payload: { kind: 'ai-sdk-code-mode/tool-approval' },
  });
  assert.match(interruptId, /^outer:tool-2:interrupt-/);
  assert.deepEqual(Object.keys(continuation), ['version', 'expiresAtMs', 'token']);
  assert.ok(isCodeModeApprovalInterrupt(kept(interrupt)));
  assert.equal(await goOn(interrupt, tools), 111);
  assert.deepEqual(calls, [['look', 1, 'outer:tool-1'], ['pay', 10, 'outer:tool-2'], ['tell', 100, 'outer:tool-3']]);
});

test('a call is the same for the tool as for who decided on it', async () => {
  const { calls, tools } = counted();
  const interrupt = await start(PAY, tools);
  await goOn(interrupt, tools, yes(interrupt), { toolExecutionOptions: { toolCallId: 'later' } });
  assert.deepEqual(calls.map(([, , toolCallId]) => toolCallId), ['outer:tool-1', 'outer:tool-2', 'later:tool-3']);
});

test('approval in another process runs nothing twice', () => {
  const driver = fileURLToPath(new URL('../fixtures/approval.mjs', import.meta.url));
  for (const [answer, paid, pays] of [['approve', 10, 1], ['deny', 'pay may not be called: too much', 0]]) {
    const directory = mkdtempSync(join(tmpdir(), 'hotcell-approval-'));
    try {
      const step = (name) => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [driver, directory, name], { encoding: 'utf8' });
        assert.ok(stdout !== '', `${status} ${stderr}`);
        return JSON.parse(stdout);
      };
      assert.deepEqual(step('begin'), { counts: { look: 1, pay: 0, tell: 0 } });
      assert.deepEqual(step(answer), { asked: ['pay', { n: 10 }], output: [1, paid, 100], counts: { look: 0, pay: pays, tell: 1 } });
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
});

test('a denial is an error inside, with its reason', async () => {
  const { calls, tools } = counted();
  const caught = await start('try { return await tools.pay({ n: 1 }) } catch (error) { return `${error.name}: ${error.message}` }', tools);
  assert.equal(await goOn(caught, tools, no(caught, 'not today')), 'PermissionDenied: pay may not be called: not today');
  const uncaught = await start(PAY, tools);
  await assert.rejects(goOn(uncaught, tools, no(uncaught)), /pay may not be called: it was not approved[^]*> 2 \| const b = await tools\.pay/);
  assert.deepEqual(calls.map(([name]) => name), ['look']);
});

test('several calls that wait at once are decided on one by one, and then take place', async () => {
  const { calls, tools } = counted();
  const first = await start('const all = await Promise.allSettled([1, 2, 3].map((n) => tools.pay({ n }))); return all.map(({ value, reason }) => value ?? reason.message)', tools);
  const second = await goOn(first, tools);
  const third = await goOn(second, tools, no(second, 'no'));
  assert.deepEqual([first, second, third].map(({ input }) => input.n), [1, 2, 3]);
  assert.equal(new Set([first, second, third].map(({ interruptId }) => interruptId)).size, 3);
  assert.equal(first.continuation.expiresAtMs, third.continuation.expiresAtMs);
  assert.deepEqual(calls, []);
  assert.deepEqual(await goOn(third, tools), [1, 'pay may not be called: no', 3]);
  assert.deepEqual(calls.map(([, n]) => n), [1, 3]);
  // Another decision on the first does not make it a second run.
  const other = await goOn(first, tools, no(first));
  await assert.rejects(goOn(await goOn(other, tools), tools), { reason: 'used' });
});

test('a program that has gone on stops again', async () => {
  const { calls, tools } = counted();
  let last = await start('let sum = 0; for (let n = 1; n <= 3; n++) sum += await tools.pay({ n }); return sum', tools);
  for (const n of [1, 2, 3]) {
    assert.deepEqual([last.input, last.toolCallId], [{ n }, `outer:tool-${n}`]);
    last = await goOn(last, tools);
  }
  assert.equal(last, 6);
  assert.deepEqual(calls.map(([, n]) => n), [1, 2, 3]);
});

test('what was changed, is too old or was used is refused, and nothing runs', async () => {
  const { calls, tools } = counted();
  const signingKey = 'a key of more than sixteen bytes';
  const security = { ...options, continuationSecurity: { signingKey } };
  const interrupt = await start('return await tools.pay({ n: 10 })', tools, security);
  const refused = async (changed, reason, more = security, response = yes(interrupt)) => {
    await assert.rejects(goOn(changed, tools, response, { options: more }), (error) => error.code === 'CODE_MODE_PROTOCOL_ERROR' && error.reason === reason || assert.fail(error));
  };
  const { continuation } = interrupt;
  const flipped = (at) => continuation.token.slice(0, at) + (continuation.token[at] === 'A' ? 'B' : 'A') + continuation.token.slice(at + 1);
  for (const token of [flipped(5), flipped(50), flipped(continuation.token.length >> 1), continuation.token.slice(0, -40), '', 'x']) {
    await refused({ ...interrupt, continuation: { ...continuation, token } }, 'signature');
  }
  await refused({ ...interrupt, continuation: { ...continuation, expiresAtMs: continuation.expiresAtMs + 1 } }, 'signature');
  for (const wrong of [undefined, null, 1, {}, { ...continuation, version: 2 }, { ...continuation, expiresAtMs: 'x' }, { ...continuation, token: 1 }]) {
    await refused({ ...interrupt, continuation: wrong }, 'malformed');
  }
  for (const wrong of [{ input: { n: 1 } }, { toolName: 'look' }, { toolCallId: 'x' }, { outerToolCallId: 'x' }, { payload: { ...interrupt.payload, x: 1 } }]) {
    assert.equal(isCodeModeInterrupt({ ...interrupt, ...wrong }, { signingKey }), false);
    await refused({ ...interrupt, ...wrong }, 'mismatch');
  }
  await refused({ ...interrupt, type: 'x' }, 'malformed');
  await refused({ ...interrupt, payload: { kind: 'mine' } }, 'response');
  await refused({ ...interrupt, interruptId: 'x' }, 'mismatch', security, { approvalId: 'x', approved: true });
  await refused(interrupt, 'signature', { continuationSecurity: { signingKey: 'another key of sixteen bytes' } });
  await refused(interrupt, 'signature', {});
  for (const wrong of [undefined, {}, { ...yes(interrupt), approved: 'yes' }, { ...no(interrupt), reason: 1 }, { approvalId: 'x', approved: true }]) {
    await refused(interrupt, 'response', security, wrong ?? null);
  }
  const { pay, ...others } = tools;
  await assert.rejects(continueCodeModeApproval({ interrupt, approvalResponse: yes(interrupt), tools: others, options: security }), /missing now: pay/);
  assert.deepEqual(calls, []);

  assert.equal(await goOn(interrupt, { ...tools, more: pay }, yes(interrupt), { options: security }), 10);
  await refused(interrupt, 'used');
  assert.equal(calls.length, 1);
  const brief = await start('return await tools.pay({ n: 10 })', tools, { continuationSecurity: { signingKey, maxAgeMs: 1 } });
  while (Date.now() < brief.continuation.expiresAtMs) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isCodeModeInterrupt(brief, { signingKey }), false);
  await refused(brief, 'expired', security, yes(brief));
  assert.equal(calls.length, 1);
});

test('what a continuation says can come from a store that sorts properties', async () => {
  const echo = tool({ description: 'Echoes', inputSchema: z.any(), needsApproval: true, execute: async (input) => input });
  const interrupt = await start('return await tools.echo({ b: 1, a: { d: 1, c: [2] } })', { echo });
  const sorted = (value) => (Array.isArray(value) || typeof value !== 'object' ? value : Object.fromEntries(Object.entries(value).sort().map(([key, one]) => [key, sorted(one)])));
  assert.deepEqual(await goOn(sorted(kept(interrupt)), { echo }), { a: { c: [2], d: 1 }, b: 1 });
});

test('hosts of several processes say themselves who may go on', async () => {
  const { calls, tools } = counted();
  const taken = new Map();
  const claim = async ({ id, expiresAtMs }) => !taken.has(id) && taken.set(id, expiresAtMs) !== undefined;
  const claiming = { ...options, continuationSecurity: { claim } };
  const interrupt = await start('return await tools.pay({ n: 1 })', tools, claiming);
  const both = await Promise.allSettled([1, 2].map(() => goOn(interrupt, tools, yes(interrupt), { options: claiming })));
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(both.find(({ reason }) => reason).reason.reason, 'used');
  assert.deepEqual([...taken.values()], [interrupt.continuation.expiresAtMs]);
  assert.equal(calls.length, 1);
});

test('keys are good or refused, and one can count for a process', async () => {
  const { tools } = counted();
  for (const signingKey of ['', 'short', new Uint8Array(15), 5]) {
    assert.throws(() => createCodeModeTool(tools, { continuationSecurity: { signingKey } }), /signing key of continuations must/);
    assert.throws(() => isCodeModeInterrupt({}, { signingKey }), TypeError);
  }
  for (const maxAgeMs of [0, -1, 1.5, NaN, Infinity, '1']) assert.throws(() => createCodeModeTool(tools, { continuationSecurity: { maxAgeMs } }), /maxAgeMs/);
  assert.throws(() => createCodeModeTool(tools, { continuationSecurity: { key: 'x' } }), /unknown option "key"/);
  assert.throws(() => createCodeModeTool(tools, { approval: { later: true } }), /unknown option "later"/);
  assert.throws(() => createCodeModeTool(tools, { approval: { mode: 'interrupt', onApprovalRequired: () => 'approved' } }), /never be asked/);
  await assert.rejects(runCodeMode({ js: '1', tools, continuation: {} }), /unknown option "continuation"/);
  await assert.rejects(continueCodeModeInterrupt({ interrupt: {}, resolve: 1 }), /unknown option "resolve"/);
  await assert.rejects(continueCodeModeApproval({ interrupt: {}, resolution: 1 }), /unknown option "resolution"/);
  const key = new TextEncoder().encode('a key for everything in here');
  setCodeModeContinuationSigningKey(key, { maxAgeMs: 1000 });
  const interrupt = await start(PAY, tools);
  assert.ok(interrupt.continuation.expiresAtMs <= Date.now() + 1000);
  assert.ok(isCodeModeInterrupt(interrupt, { signingKey: key }));
  setCodeModeContinuationSigningKey();
  assert.equal(isCodeModeInterrupt(interrupt), false);
});

test('what a continuation holds is not to be read in it', async () => {
  const { tools } = counted();
  const secret = 'the-secret-that-a-tool-gave';
  const vault = tool({ description: 'Gives it', inputSchema: z.object({}), execute: async () => secret });
  const interrupt = await start('const s = await tools.vault({}); await tools.pay({ n: s.length }); return s', { ...tools, vault });
  assert.equal(Buffer.from(interrupt.continuation.token, 'base64url').includes(secret), false);
  assert.equal(await goOn(interrupt, { ...tools, vault }), secret);
});

test('the tool gets what the person saw', async () => {
  const { calls, tools } = counted();
  const got = [];
  const any = tool({ description: 'Anything', inputSchema: z.any(), needsApproval: true, execute: async (input) => void got.push(input) });
  const interrupt = await start('await tools.any({ map: new Map([[1, 2]]), date: new Date(0), none: undefined })', { any });
  assert.deepEqual(interrupt.input, { map: {}, date: '1970-01-01T00:00:00.000Z' });
  // Also where the host goes on in another mode.
  await continueCodeModeInterrupt({ interrupt, resolution: { approved: true }, tools: { any } });
  assert.deepEqual(got, [interrupt.input]);
  assert.match(await start('return await tools.any(5n).catch((error) => error.message)', { any }), /has to be JSON/);
  assert.match(await start('try { await tools.pay({ n: "x" }) } catch (error) { return error.message }', tools), /invalid arguments/);
  const nothing = await start('return await tools.any()', { any });
  assert.equal(await goOn(nothing, { any }), undefined);
  assert.deepEqual([got[1], calls], [undefined, []]);
});

test('an approved call fails as any other does', async () => {
  const bad = (execute) => tool({ description: 'Fails', inputSchema: z.object({}), needsApproval: true, execute });
  const { tools } = counted({
    throws: bad(async () => { throw new RangeError('no such thing'); }),
    words: bad(() => { throw 'words'; }),
    crosses: bad(async () => () => 1),
    large: bad(async () => 'x'.repeat(100)),
    parts: bad(async function* () { yield 1; yield 2; }),
    typed: { ...bad(async () => ({ n: 1, more: 2 })), outputSchema: z.object({ n: z.number() }) },
  });
  const js = `const said = (call) => call.then(JSON.stringify, (error) => error.name + ': ' + error.message);
    return await Promise.all([tools.throws({}), tools.words({}), tools.crosses({}), tools.large({}), tools.parts({}), tools.typed({})].map(said))`;
  const limited = { options: { ...options, executionPolicy: { maxToolOutputBytes: 50 } } };
  let last = await start(js, tools, limited.options);
  while (isCodeModeInterrupt(last)) last = await goOn(last, tools, yes(last), limited);
  const [throws, words, crosses, large, ...rest] = last;
  assert.equal(throws, 'RangeError: no such thing');
  assert.equal(words, 'Error: words');
  assert.match(crosses, /is a function and cannot enter the sandbox/);
  assert.match(large, /at most 50/);
  assert.deepEqual(rest, ['2', '{"n":1,"more":2}']);
});

test('a tool asks for what it needs, and is called again with it', async () => {
  const seen = [];
  const ask = tool({
    description: 'Asks',
    inputSchema: z.object({ question: z.string() }),
    needsApproval: true,
    execute: async ({ question }, { codeModeInterrupt: before }) => {
      seen.push(before?.resolution);
      if (before === undefined) requestCodeModeInterrupt({ kind: 'ask', question });
      if (before.resolution === 'more') requestCodeModeInterrupt({ kind: 'ask', question: `${before.payload.question} Really?` });
      return `${before.payload.kind}: ${before.resolution}`;
    },
  });
  const next = async (interrupt, resolution) => await continueCodeModeInterrupt({ interrupt: kept(interrupt), resolution, tools: { ask }, options });
  const approval = await start('return await tools.ask({ question: "Why?" })', { ask });
  assert.ok(isCodeModeApprovalInterrupt(approval));
  // It is approved once, however often it asks.
  const first = await next(approval, { approved: true });
  assert.ok(isCodeModeInterrupt(first) && !isCodeModeApprovalInterrupt(first));
  assert.deepEqual([first.payload, first.toolCallId], [{ kind: 'ask', question: 'Why?' }, 'outer:tool-1']);
  await assert.rejects(goOn(first, { ask }), { reason: 'response' });
  const second = await next(first, 'more');
  assert.deepEqual(second.payload, { kind: 'ask', question: 'Why? Really?' });
  assert.notEqual(second.interruptId, first.interruptId);
  assert.equal(await next(second, 'because'), 'ask: because');
  assert.deepEqual(seen, [undefined, 'more', 'because']);
  await assert.rejects(next(approval, 'because'), { reason: 'response' });
  for (const wrong of [undefined, 'x', [], {}, { kind: '' }, { kind: 1 }, approval.payload]) assert.throws(() => requestCodeModeInterrupt(wrong), TypeError);
  assert.throws(() => requestCodeModeInterrupt({ kind: 'ask' }), /works where a program in code mode called it/);
});

test('tools ask also where a callback decides on approval', async () => {
  const ask = tool({ description: 'Asks', inputSchema: z.any(), execute: async (_, { codeModeInterrupt }) => codeModeInterrupt?.resolution ?? requestCodeModeInterrupt({ kind: 'ask' }) });
  const { calls, tools } = counted({ ask });
  const callback = { approval: { onApprovalRequired: () => 'approved' } };
  const interrupt = await runCodeMode({ js: 'return [await tools.ask(), await tools.pay({ n: 2 })]', tools, options: callback });
  assert.deepEqual(await continueCodeModeInterrupt({ interrupt, resolution: { x: 1 }, tools, options: callback }), [{ x: 1 }, 2]);
  assert.equal(calls.length, 1);
});

test('a signal that has fired uses nothing up, and one that fires ends what goes on', async () => {
  const { calls, tools } = counted();
  const interrupt = await start(PAY, tools);
  const gone = { toolExecutionOptions: { abortSignal: AbortSignal.abort(new Error('enough')) } };
  await assert.rejects(goOn(interrupt, tools, yes(interrupt), gone), { code: 'ERR_CANCELLED' });
  assert.equal(calls.length, 1);
  assert.equal(await goOn(interrupt, tools), 111);

  const controller = new AbortController();
  let heard;
  const deaf = tool({ description: 'Never ends', inputSchema: z.object({}), needsApproval: true, execute: (_, { abortSignal }) => new Promise(() => {
    abortSignal.addEventListener('abort', () => (heard = abortSignal.reason));
    setImmediate(() => controller.abort(new Error('enough')));
  }) });
  const signal = { toolExecutionOptions: { abortSignal: controller.signal } };
  const waiting = await start('try { await tools.deaf({}) } finally { await tools.tell({ n: 5 }) }', { ...tools, deaf });
  await assert.rejects(goOn(waiting, { ...tools, deaf }, yes(waiting), signal), /cancelled/);
  assert.equal(heard.message, 'enough');
  assert.equal(calls.length, 3);

  const later = new AbortController();
  const loops = await start('await tools.pay({ n: 1 }); while (true) {}', { ...tools });
  setTimeout(() => later.abort(), 20);
  await assert.rejects(goOn(loops, tools, yes(loops), { toolExecutionOptions: { abortSignal: later.signal } }), { code: 'ERR_CANCELLED' });
});

test('the limits of a program are those of who goes on with it', async () => {
  const { tools } = counted();
  const loops = await start('await tools.pay({ n: 1 }); while (true) {}', tools);
  await assert.rejects(goOn(loops, tools, yes(loops), { options: { executionPolicy: { timeoutMs: 50 } } }), /timed out after 50ms/);
  const calls = await start('await tools.pay({ n: 1 }); await tools.look({ n: 1 }); await tools.look({ n: 1 })', tools);
  await assert.rejects(goOn(calls, tools, yes(calls), { options: { executionPolicy: { maxBridgeRequests: 2 } } }), /maxToolCalls/);
  // A person and a tool may take longer than the program has.
  const slow = tool({ description: 'Slow', inputSchema: z.object({}), needsApproval: true, execute: async () => await new Promise((resolve) => setTimeout(resolve, 400, 'done')) });
  const brief = { options: { ...options, executionPolicy: { timeoutMs: 300 } } };
  const patient = await start('return await tools.slow({})', { slow }, brief.options);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(await goOn(patient, { slow }, yes(patient), brief), 'done');
});

test('what the executor was given is given again: a store, timers, a clock', async () => {
  const { tools } = counted();
  const granted = { ...options, executor: { store: new Map(), timers: true, clock: { fixed: 0 } } };
  const js = 'await store("a", 5); let fired = 0; setTimeout(() => fired++, 5); await tools.pay({ n: 1 }); await new Promise((done) => setTimeout(done, 20)); return [await load("a"), fired]';
  const interrupt = await start(js, tools, granted);
  assert.deepEqual(await goOn(interrupt, tools, yes(interrupt), { options: granted }), [5, 1]);
});

test('many programs wait, and go on in any order', async () => {
  const { calls, tools } = counted();
  const waiting = await Promise.all(Array.from({ length: 100 }, (_, n) => start(`const mine = ${n}; return mine - await tools.pay({ n: mine })`, tools)));
  const order = waiting.map((interrupt, n) => [(n * 37) % 100, interrupt]).sort(([a], [b]) => a - b);
  const outputs = await Promise.all(order.map(([, interrupt]) => goOn(interrupt, tools)));
  assert.deepEqual(new Set(outputs), new Set([0]));
  assert.equal(new Set(calls.map(([, n]) => n)).size, 100);
  assert.equal(calls.length, 100);
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

test('generateText stops at an interrupt, which is asked for and answered in messages', async () => {
  for (const made of ['createCodeModeTool', 'codeModeTool']) {
    const { calls, tools } = counted();
    const isBound = made === 'codeModeTool';
    const result = await generateText({
      model: model(call(PAY)),
      tools: isBound ? { code: codeModeTool(options), ...tools } : { code: createCodeModeTool(tools, options) },
      ...(isBound ? { experimental_toolCallers: { look: ['code'], pay: ['code'], tell: ['code'] } } : {}),
      stopWhen: [isStepCount(5), ({ steps }) => getCodeModeInterrupt(steps.at(-1)) !== undefined],
      prompt: 'Pay.',
    });
    assert.equal(result.steps.length, 1);
    const interrupt = getCodeModeInterrupt(result);
    assert.deepEqual([interrupt.toolName, interrupt.outerToolCallId], ['pay', 'c1']);
    assert.equal(unwrapCodeModeResult(result).interrupt, interrupt);
    assert.equal(unwrapCodeModeResult(interrupt).status, 'interrupted');
    const messages = toCodeModeApprovalMessages(interrupt);
    for (const message of messages) modelMessageSchema.parse(message);
    assert.equal(getCodeModeApprovalResponse(messages, interrupt), undefined);
    const answers = [{ ...no(interrupt), reason: 'once' }, { approvalId: 'other', approved: true }, yes(interrupt)];
    messages.push(...answers.map((answer) => ({ role: 'tool', content: [{ type: 'tool-approval-response', ...answer }] })));
    const approvalResponse = getCodeModeApprovalResponse(messages, interrupt);
    assert.deepEqual(approvalResponse, yes(interrupt));
    const output = await continueCodeModeApproval({ interrupt, approvalResponse, tools, options });
    assert.deepEqual(unwrapCodeModeResult(output), { status: 'completed', output: 111 });
    assert.deepEqual(calls.map(([name]) => name), ['look', 'pay', 'tell']);
  }
});

test('a model reads that its program waits, and nothing of what that holds', async () => {
  const { tools } = counted();
  const told = model(call(PAY), [{ type: 'text', text: 'It waits.' }]);
  const { steps, text } = await generateText({ model: told, tools: { code: createCodeModeTool(tools, options) }, stopWhen: isStepCount(3), prompt: 'Pay.' });
  assert.equal(text, 'It waits.');
  const interrupt = getCodeModeInterrupt(steps[0]);
  const prompt = JSON.stringify(told.doGenerateCalls[1].prompt);
  assert.match(prompt, /The program has stopped at a call of pay/);
  assert.equal(prompt.includes(interrupt.continuation.token), false);
  const plain = await createCodeModeTool().toModelOutput({ output: { a: 1 } });
  assert.deepEqual([plain, await createCodeModeTool().toModelOutput({ output: 'x' }), await createCodeModeTool().toModelOutput({})], [
    { type: 'json', value: { a: 1 } },
    { type: 'text', value: 'x' },
    { type: 'json', value: null },
  ]);
});

test('a program cannot pass a value for an interrupt', async () => {
  const { tools } = counted();
  const forged = await start('return { type: "code-mode-interrupt", interruptId: "x", toolName: "pay", toolCallId: "x", outerToolCallId: "outer", input: {}, payload: { kind: "ai-sdk-code-mode/tool-approval" }, continuation: { version: 1, expiresAtMs: 9e15, token: "AAAA" } }', tools);
  assert.equal(isCodeModeInterrupt(forged), false);
  assert.equal(unwrapCodeModeResult(forged).status, 'completed');
});

const isJailed = { skip: process.platform !== 'linux' && 'worker processes are Linux only' };
const jailed = { ...options, executor: { isolation: 'process' } };

test('a program goes on in a worker process', isJailed, async () => {
  const { tools } = counted();
  const interrupt = await start('return 1 + await tools.pay({ n: 10 })', tools, jailed);
  assert.equal(await goOn(interrupt, tools, yes(interrupt), { options: jailed }), 11);
});

test('a program calls tools after it has gone on in a worker process', isJailed, async () => {
  const { tools } = counted();
  const interrupt = await start(PAY, tools, jailed);
  assert.equal(await goOn(interrupt, tools, yes(interrupt), { options: jailed }), 111);
});
