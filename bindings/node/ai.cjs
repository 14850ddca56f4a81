'use strict';
// Code mode for the AI SDK: one tool whose input is a program, and whose program calls the other tools.

const { SESExecutor, observation, renderPrompt, tool: described } = require('./index.cjs');
const { identifier, namespace } = require('./namespaces.cjs');

/** The time is the limit there, not the loops, and waiting for tools is free. */
const DEFAULTS = { timeoutMs: 30_000, maxOperations: Number.MAX_SAFE_INTEGER, pauseClockDuringTools: true };
/** Under this key a function says what it does: see lib/tools.cjs. */
const SPEC = Symbol.for('hotcell.tool');
/** Says to the AI SDK that an object is a schema. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema');
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

/** A tool with the input `{ js }`, for programs that call `tools`. */
function createCodeModeTool(tools = {}, options = {}) {
  const ready = resolved(options);
  return {
    description: describe(tools),
    inputSchema: inputSchema(),
    execute: async ({ js }, toolExecutionOptions) => await run({ js, tools, toolExecutionOptions, ready }),
  };
}

/** The same for `experimental_toolCallers`: the AI SDK says which tools programs may call. */
function codeModeTool(options = {}) {
  return Object.defineProperty(createCodeModeTool({}, options), 'experimental_toolCaller', {
    value: { type: 'local', bind: (tools) => createCodeModeTool(tools, options) },
  });
}

/** Runs one program, and gives what it returns. */
async function runCodeMode({ js, tools = {}, toolExecutionOptions, options = {} }) {
  return await run({ js, tools, toolExecutionOptions, ready: resolved(options) });
}

/** Options as far as they can be taken; a mistake in them shows here. */
function resolved({ executionPolicy = {}, approval = {}, executor = {}, ...unknown }) {
  const [first] = Object.keys(unknown);
  if (first !== undefined) throw new TypeError(`unknown option ${JSON.stringify(first)} of code mode: the options are executionPolicy, approval, executor`);
  if (approval.mode !== undefined && approval.mode !== 'callback') {
    throw new TypeError(`approval.mode ${JSON.stringify(approval.mode)} is not supported here: give approval.onApprovalRequired`);
  }
  const limits = {};
  for (const [name, value] of Object.entries(executionPolicy)) {
    if (value === undefined || name === 'maxStackSizeBytes') continue;
    if (name === 'maxToolInputBytes' || name === 'maxToolOutputBytes') continue;
    if (POLICY[name] === undefined) throw new TypeError(`unknown limit ${JSON.stringify(name)} of executionPolicy: the limits are ${Object.keys(POLICY).join(', ')}, maxToolInputBytes, maxToolOutputBytes`);
    limits[POLICY[name]] = value;
  }
  const settings = { ...DEFAULTS, ...limits, ...executor };
  new SESExecutor(settings);
  const { maxToolInputBytes = Infinity, maxToolOutputBytes = Infinity } = executionPolicy;
  return { settings, approve: approval.onApprovalRequired, maxToolInputBytes, maxToolOutputBytes };
}

let invocations = 0;

async function run({ js, tools, toolExecutionOptions = {}, ready }) {
  const { abortSignal, toolCallId = `code-mode-${(invocations += 1)}`, messages = [] } = toolExecutionOptions;
  const context = toolExecutionOptions.context ?? toolExecutionOptions.experimental_context;
  const executor = new SESExecutor(ready.settings);
  let calls = 0;
  const options = (signal) => ({
    toolCallId: `${toolCallId}:tool-${(calls += 1)}`,
    messages,
    abortSignal: signal,
    ...(context === undefined ? {} : { context, experimental_context: toolExecutionOptions.experimental_context ?? context }),
  });
  const members = {};
  for (const [name, one] of Object.entries(tools)) {
    members[name] = described(async (input, { signal }) => await call(name, one, input, options(signal), ready), { ...about(one), context: true });
  }
  try {
    const { tools: sent, prelude } = namespace('tools', members);
    await executor.init();
    await executor.sendTools(sent);
    if (prelude !== '') await executor.run(prelude, { name: 'tools.js' });
    const { output, error } = await executor.execute(String(js), { name: 'code-mode.ts', signal: abortSignal ?? undefined, callFunction: true });
    if (error !== undefined) throw told(error);
    return output === undefined ? undefined : JSON.parse(JSON.stringify(output));
  } finally {
    await executor.cleanup().catch(() => {});
  }
}

/** Calls a tool as the AI SDK does: with what its schema makes of the input, if it may be called. */
async function call(name, one, input, options, { approve, maxToolInputBytes, maxToolOutputBytes }) {
  if (typeof one.execute !== 'function') throw new TypeError(`the tool ${name} has no function here`);
  limit(`the input of ${name}`, input, maxToolInputBytes);
  const value = await validated(one.inputSchema, input);
  const needed = typeof one.needsApproval === 'function' ? await one.needsApproval(value, options) : one.needsApproval;
  if (needed) {
    const decision = await approve?.({ toolName: name, input: value, toolCallId: options.toolCallId });
    const approved = decision === 'approved' || decision?.approved === true;
    if (!approved) throw Object.assign(new Error(`${name} may not be called: ${decision?.reason ?? (approve === undefined ? 'it needs approval, and nobody is there to give it' : 'it was not approved')}`), { name: 'PermissionDenied' });
  }
  let output = one.execute(value, options);
  if (typeof output?.[Symbol.asyncIterator] === 'function') {
    let last;
    for await (const part of output) last = part;
    output = last;
  } else {
    output = await output;
  }
  limit(`the result of ${name}`, output, maxToolOutputBytes);
  return output;
}

function limit(what, value, bytes) {
  if (bytes === Infinity || value === undefined) return;
  const size = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (size > bytes) throw new RangeError(`${what} has ${size} bytes as JSON: at most ${bytes}`);
}

async function validated(schema, input) {
  const made = typeof schema === 'function' && !('~standard' in schema) ? schema() : schema;
  const standard = made?.['~standard'];
  if (typeof standard?.validate === 'function') {
    const { issues, value } = await standard.validate(input);
    if (issues !== undefined) throw new TypeError(`invalid input: ${issues.map(({ message }) => message).join('; ')}`);
    return value;
  }
  if (typeof made?.validate !== 'function') return input;
  const result = await made.validate(input);
  if (!result.success) throw result.error;
  return result.value;
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

module.exports = { codeModeTool, createCodeModeTool, runCodeMode };
