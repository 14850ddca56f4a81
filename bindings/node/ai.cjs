'use strict';
// Code mode for the AI SDK: one tool whose input is a program, and whose program calls the other tools.

const { SESExecutor, observation, renderPrompt, tool: described } = require('./index.cjs');
const { CodeModeProtocolError, claim, refuse, securityOf, setCodeModeContinuationSigningKey } = require('./ai.continuation.cjs');
const interrupts = require('./ai.interrupts.cjs');
const { Program, limit, plain } = require('./ai.program.cjs');
const { identifier, namespace } = require('./namespaces.cjs');
const { warnings } = require('./warnings.cjs');

/** The time is the limit there, not the loops, and waiting for tools is free. */
const DEFAULTS = { timeoutMs: 30_000, maxOperations: Number.MAX_SAFE_INTEGER, pauseClockDuringTools: true };
/** Under this key a function says what it does: see lib/tools.cjs. */
const SPEC = Symbol.for('hotcell.tool');
/** Says to the AI SDK that an object is a schema. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema');
/** What the AI SDK calls the caller of a tool that is a model. */
const DIRECT_TOOL_CALL = 'AI_SDK_DIRECT_TOOL_CALL';
/** How the AI SDK calls the limits of a program, and how we do. */
const POLICY = {
  timeoutMs: 'timeoutMs',
  memoryLimitBytes: 'memoryLimitBytes',
  maxResultBytes: 'maxResultBytes',
  maxConsoleOutputBytes: 'maxLogBytes',
  maxSourceBytes: 'maxCodeBytes',
  maxBridgeRequests: 'maxToolCalls',
  maxInFlightBridgeRequests: 'maxToolCallsInFlight',
};

const HEAD = `Runs a JavaScript or TypeScript program that calls tools. It is the body of an async function: use await, and return what you want to know, as plain data. Calls that do not depend on each other go into Promise.all. There are no files, no network and no modules: only what is declared here.`;

/** The tools themselves are no secret; what a program that waits holds is, and it is long: a model gets a sentence in its place. */
function toModelOutput({ toolCallId, output }) {
  if (interrupts.seemsInterrupt(output)) {
    return { type: 'text', value: `The program has stopped at a call of ${output.toolName}, which somebody has to decide on first. It goes on after that by itself: do not run it again.` };
  }
  const remark = remarks.get(toolCallId);
  if (remark !== undefined) {
    return { type: 'text', value: `${typeof output === 'string' ? output : JSON.stringify(output ?? null)}\n\n${remark}` };
  }
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

/** What a program printed and was warned of, for its model, by the call of the tool. */
const remarks = new Map();
const MAX_REMARKS = 1000;
const MAX_REMARK = 10_000;

function remember(toolCallId, { logs, diagnostics = [] }) {
  const warned = warnings(diagnostics);
  const parts = [warned.length > 0 ? `Warnings:\n${warned.join('\n')}` : '', logs ? `Logs:\n${logs}` : ''].filter((part) => part !== '');
  remarks.delete(toolCallId);
  if (parts.length === 0) return;
  if (remarks.size >= MAX_REMARKS) remarks.delete(remarks.keys().next().value);
  const text = parts.join('\n\n');
  remarks.set(toolCallId, text.length > MAX_REMARK ? `${text.slice(0, MAX_REMARK)}…` : text);
}

/** A tool with the input `{ js }`, for programs that call `tools`. */
function createCodeModeTool(tools = {}, options = {}) {
  const ready = resolved(options);
  return {
    description: describe(tools),
    inputSchema: inputSchema(),
    execute: async ({ js }, toolExecutionOptions) => await run({ js, tools, toolExecutionOptions, ready }),
    toModelOutput,
  };
}

/** The same for `experimental_toolCallers`: the AI SDK says which tools programs may call. */
function codeModeTool(options = {}) {
  return Object.defineProperty(createCodeModeTool({}, options), 'experimental_toolCaller', {
    value: { type: 'local', bind: (tools) => createCodeModeTool(tools, options) },
  });
}

/** Runs one program, and gives what it returns, or an interrupt. */
async function runCodeMode({ js, tools = {}, toolExecutionOptions, options = {}, ...unknown }) {
  refuse(unknown, 'runCodeMode', ['js', 'tools', 'toolExecutionOptions', 'options']);
  return await run({ js, tools, toolExecutionOptions, ready: resolved(options) });
}

/** Options as far as they can be taken; a mistake in them shows here. */
function resolved({ executionPolicy = {}, approval = {}, executor = {}, continuationSecurity, ...unknown }) {
  refuse(unknown, 'code mode', ['executionPolicy', 'approval', 'continuationSecurity', 'executor']);
  const { mode = 'callback', onApprovalRequired: approve, ...others } = approval;
  refuse(others, 'approval', ['mode', 'onApprovalRequired']);
  if (mode !== 'callback' && mode !== 'interrupt') throw new TypeError(`approval.mode is ${JSON.stringify(mode)}: it can be "callback" or "interrupt"`);
  if (mode === 'interrupt' && approve !== undefined) throw new TypeError('approval.mode "interrupt" leaves the decision for later: approval.onApprovalRequired would never be asked');
  const limits = {};
  for (const [name, value] of Object.entries(executionPolicy)) {
    if (value === undefined || name === 'maxStackSizeBytes') continue;
    if (name === 'maxToolInputBytes' || name === 'maxToolOutputBytes') continue;
    if (POLICY[name] === undefined) throw new TypeError(`unknown limit ${JSON.stringify(name)} of executionPolicy: the limits are ${Object.keys(POLICY).join(', ')}, maxToolInputBytes, maxToolOutputBytes`);
    limits[POLICY[name]] = value;
  }
  const settings = { ...DEFAULTS, ...limits, ...executor };
  new SESExecutor(settings);
  securityOf(continuationSecurity);
  const { maxToolInputBytes = Infinity, maxToolOutputBytes = Infinity } = executionPolicy;
  // A key that is not given is the one that counts when it is needed.
  return { settings, mode, approve, maxToolInputBytes, maxToolOutputBytes, security: () => securityOf(continuationSecurity) };
}

let invocations = 0;

async function run({ js, tools, toolExecutionOptions = {}, ready }) {
  const { toolCallId = `code-mode-${(invocations += 1)}`, abortSignal } = toolExecutionOptions;
  const program = new Program({ tools, toolExecutionOptions, outerToolCallId: toolCallId, ready });
  const executor = new SESExecutor(ready.settings);
  try {
    const { tools: sent, prelude } = members(tools, program);
    await executor.init();
    await executor.sendTools(sent);
    if (prelude !== '') await executor.run(prelude, { name: 'tools.js' });
    return await outcome(executor, program, toolCallId, await executor.start(String(js), { name: 'code-mode.ts', signal: abortSignal ?? undefined, callFunction: true }));
  } finally {
    await executor.cleanup().catch(() => {});
  }
}

/** What has become of a program: its result, its error or an interrupt. */
async function outcome(executor, program, toolCallId, started) {
  if (started.status === 'suspended') return await program.interrupt(executor, started.calls);
  const { output, error } = started;
  if (error !== undefined) throw told(error);
  remember(toolCallId, started);
  return output === undefined ? undefined : JSON.parse(JSON.stringify(output));
}

/** Goes on with a program, now that one of its calls is decided on; or gives the interrupt of the next that waits. */
async function continueCodeModeInterrupt({ interrupt, resolution, tools = {}, options = {}, toolExecutionOptions = {}, ...unknown }) {
  refuse(unknown, 'continueCodeModeInterrupt', ['interrupt', 'resolution', 'tools', 'options', 'toolExecutionOptions']);
  const ready = resolved(options);
  const security = ready.security();
  const before = interrupts.programOf(interrupt, security);
  const decided = [...before.decided, decisionOn(interrupt, resolution, ready)];
  const missing = before.toolNames.filter((name) => !Object.hasOwn(tools, name));
  if (missing.length > 0) throw new CodeModeProtocolError('tools', `the program has tools that are missing now: ${missing.join(', ')}`, { missing });
  // Nothing takes place before all of them are decided on.
  if (decided.length < before.pending.length) return interrupts.interruptOf({ ...before, decided }, security);
  const { abortSignal } = toolExecutionOptions;
  const own = Object.fromEntries(before.toolNames.map((name) => [name, tools[name]]));
  const outerToolCallId = toolExecutionOptions.toolCallId ?? before.outerToolCallId;
  const program = new Program({ tools: own, toolExecutionOptions, outerToolCallId, ready });
  const executor = await SESExecutor.restore(before.snapshot, { ...ready.settings, tools: members(own, program).tools });
  try {
    if (abortSignal?.aborted) await cancelled(executor, before, abortSignal);
    await claim(before, security);
    const answers = await program.answers(executor, before.pending, decided, () => cancelled(executor, before, abortSignal));
    return await outcome(executor, program, outerToolCallId, await answered(executor, answers, abortSignal));
  } finally {
    await executor.cleanup().catch(() => {});
  }
}

/** Goes on with a program that waits for approval. */
async function continueCodeModeApproval({ interrupt, approvalResponse, tools, options = {}, toolExecutionOptions, ...unknown }) {
  refuse(unknown, 'continueCodeModeApproval', ['interrupt', 'approvalResponse', 'tools', 'options', 'toolExecutionOptions']);
  if (typeof approvalResponse?.approvalId !== 'string' || !interrupts.isDecision(approvalResponse)) {
    throw new CodeModeProtocolError('response', 'approvalResponse must be { approvalId, approved, reason? }: two texts and true or false');
  }
  const { approvalId, approved, reason } = approvalResponse;
  if (approvalId !== interrupt?.interruptId) throw new CodeModeProtocolError('response', `the answer is to the approval ${approvalId}; what waits is ${interrupt?.interruptId}`);
  if (interrupt.payload?.kind !== interrupts.APPROVAL) throw new CodeModeProtocolError('response', 'the interrupt does not wait for approval: go on with continueCodeModeInterrupt');
  return await continueCodeModeInterrupt({
    interrupt,
    resolution: { approved, reason },
    tools,
    // As the program began, so it goes on: the next tool that needs approval interrupts it as well.
    options: { ...options, approval: { mode: 'interrupt', ...options.approval } },
    toolExecutionOptions,
  });
}

/** What somebody decided, as it is kept. */
function decisionOn({ payload, toolName }, resolution, { maxToolOutputBytes }) {
  if (payload.kind !== interrupts.APPROVAL) {
    const what = `the resolution for ${toolName}`;
    limit(what, resolution, maxToolOutputBytes);
    return plain(what, resolution) ?? null;
  }
  if (!interrupts.isDecision(resolution)) throw new CodeModeProtocolError('response', 'the resolution of an approval must be { approved, reason? }: true or false, and a text');
  const { approved, reason } = resolution;
  return { approved, reason };
}

/** Gives a program that waits its answers. */
async function answered(executor, answers, signal) {
  const calls = Object.keys(answers);
  // All that was called is to be decided on by somebody else.
  if (calls.length === 0) return await executor.suspension();
  const resume = async (some) => await executor.resume(some, { signal: signal ?? undefined });
  const ifWaiting = (fallback) => (error) => {
    if (executor.state !== 'SUSPENDED' || signal?.aborted) throw told(error);
    return fallback(error);
  };
  return await resume(answers).catch(
    ifWaiting(async () => {
      // One of them cannot cross: its call fails with the reason, and the others get what they should.
      let started;
      for (const call of calls) {
        started = await resume({ [call]: answers[call] }).catch(ifWaiting(async ({ name, message }) => await resume({ [call]: Object.assign(new Error(message), { name }) })));
        if (started.status === 'complete') break;
      }
      return started;
    }),
  );
}

/** Fails as a run does that was called off. */
async function cancelled(executor, { pending }, signal) {
  await executor.resume({ [pending[0].callId]: undefined }, { signal }).catch((error) => {
    throw told(error);
  });
}

/** Tools as programs see them. What they return is declared to models, and not checked, neither now nor later. */
function members(tools, program) {
  const all = {};
  for (const [name, one] of Object.entries(tools)) {
    const { returns: _, ...spec } = about(one);
    all[name] = described(async (...args) => await program.call(name, args.slice(0, -1), args.at(-1)), { ...spec, context: true });
  }
  return namespace('tools', all);
}

function about({ description, inputSchema: parameters, outputSchema: returns }) {
  return { ...(typeof description === 'string' ? { description } : {}), parameters, returns };
}

/** What a model is told. */
function describe(tools) {
  const specs = Object.entries(tools).map(([name, one]) => ({ name: `tools.${identifier(name)}`, mode: 'async', ...described(() => {}, about(one))[SPEC] }));
  if (specs.length === 0) return HEAD;
  return `${HEAD}\n\n${renderPrompt({ tools: specs, template: '{{{tools_prompt}}}' })}`;
}

function inputSchema() {
  return {
    [AI_SCHEMA]: true,
    _type: undefined,
    validate: (value) =>
      typeof value?.js === 'string' ? { success: true, value } : { success: false, error: new TypeError('the input is { js }, js being the text of a program') },
    jsonSchema: {
      type: 'object',
      properties: { js: { type: 'string', description: 'The program, in JavaScript or TypeScript' } },
      required: ['js'],
      additionalProperties: false,
    },
  };
}

/** The error, whose message has all that a model should read. */
function told(error) {
  error.message = observation(error);
  return error;
}

const { getCodeModeApprovalResponse, getCodeModeInterrupt, isCodeModeApprovalInterrupt, isCodeModeInterrupt, requestCodeModeInterrupt, toCodeModeApprovalMessages, unwrapCodeModeResult } = interrupts;

module.exports = {
  CodeModeProtocolError,
  DIRECT_TOOL_CALL,
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
};
