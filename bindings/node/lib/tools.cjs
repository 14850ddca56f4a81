'use strict';
// Functions as tools, and what a model is told about them.

const { newId } = require('./host.cjs');
const { known } = require('./options.cjs');

/** Under this key a function says what it does: see `ToolSpec` in index.d.cts. */
const spec = Symbol.for('hotcell.tool');
/** Under this key a function of ours says that native code can do what it does. */
const builtin = Symbol('hotcell.builtin');

/** Under this key a function of ours says that it stands for one that is `async`. */
const promises = Symbol('hotcell.promises');

function isAsync(fn) {
  return typeof fn === 'function' && Object.prototype.toString.call(fn) === '[object AsyncFunction]';
}

const SPEC_KEYS = ['description', 'parameters', 'returns', 'permission', 'positional', 'mode', 'deferred', 'context', 'suspends'];

/** The functions of one `sendTools`, for one executor. */
class ToolSet {
  id = newId();
  functions = new Map();
  /** The object that each is a method of. */
  receivers = new Map();
  /** What native code is told of them. */
  specs = [];
  /** Files whose tools native code does by itself. */
  builtins = [];
  /** What each wants to know of a call beside its arguments: 'last' for a context behind them, 'ai' for what the AI SDK gives. */
  contexts = new Map();

  constructor(receiver) {
    this.receiver = receiver;
  }

  /** The same for another executor, which has files of its own. */
  copy() {
    const forked = new Map();
    for (const files of this.builtins) if (!forked.has(files)) forked.set(files, files.fork());
    const builtins = this.builtins.map((files) => forked.get(files));
    return Object.assign(Object.create(ToolSet.prototype), this, { id: newId(), builtins });
  }

  /** Sends those of them that are in `names`, or all. */
  send(native, operation, names) {
    const specs = names ? this.specs.filter(({ name }) => names.includes(name)) : this.specs;
    return native.sendTools(operation, this.id, JSON.stringify(specs), this.builtins);
  }

  /** Calls a tool. `context` tells of the call. */
  call(name, args, context) {
    const tool = this.functions.get(name);
    switch (this.contexts.get(name)) {
      case 'last':
        args = [...args, context];
        break;
      case 'ai':
        args = [args[0], new AiOptions(context)];
    }
    return Reflect.apply(tool, this.receivers.get(name) ?? this.receiver, args);
  }
}

/** What the AI SDK passes to `execute` beside the input. */
class AiOptions {
  #context;
  messages = [];

  constructor(context) {
    this.#context = context;
    this.toolCallId = context.callId;
    this.experimental_context = context.context;
  }

  get abortSignal() {
    return this.#context.signal;
  }
}

/** Gives a function what a model needs to know about it. */
function tool(fn, about) {
  if (typeof fn !== 'function') throw new TypeError('tool needs a function');
  const described = function (...args) {
    return Reflect.apply(fn, this, args);
  };
  Object.defineProperty(described, 'name', { value: fn.name, configurable: true });
  described[promises] = isAsync(fn);
  described[spec] = check(about, fn.name || 'the tool');
  return described;
}

/** A tool without a function: each call suspends the run, and whoever resumes it gives the answer. */
function suspending(about = {}) {
  return tool(() => {}, { ...about, suspends: true });
}

/**
 * Tools from a list of specifications, such as an MCP server gives. `handlers` is one function that gets the name of the
 * tool and its arguments, or an object with a function for each.
 */
function toolsFromSchemas(specs, handlers) {
  const tools = Object.create(null);
  for (const one of specs) {
    const { name, inputSchema, outputSchema, parameters = inputSchema, returns = outputSchema, ...about } = one ?? {};
    if (typeof name !== 'string' || name === '') throw new TypeError('each tool specification needs a name');
    if (Object.hasOwn(tools, name)) throw new TypeError(`there are two specifications of the tool ${name}`);
    let handler;
    if (typeof handlers === 'function') {
      handler = (...args) => handlers(name, ...args);
    } else {
      if (typeof handlers?.[name] !== 'function') throw new TypeError(`there is no handler for the tool ${name}`);
      handler = (...args) => handlers[name](...args);
    }
    tools[name] = tool(handler, { ...pick(about), parameters, returns });
  }
  return { ...tools };
}

function pick(about) {
  return Object.fromEntries(SPEC_KEYS.filter((key) => about[key] !== undefined).map((key) => [key, about[key]]));
}

function check(about, name) {
  if (typeof about !== 'object' || about === null) throw new TypeError(`the description of ${name} must be an object`);
  for (const key of Object.keys(about)) {
    if (!SPEC_KEYS.includes(key)) throw new TypeError(`${name} has an unknown property ${JSON.stringify(key)}: known are ${SPEC_KEYS.join(', ')}`);
  }
  const { parameters, returns, ...rest } = about;
  const { jsonSchemaOf } = require('./schemas.cjs');
  return {
    ...rest,
    parameters: jsonSchemaOf(parameters, 'input', `the schema of the parameters of ${name}`),
    returns: jsonSchemaOf(returns, 'output', `the schema of what ${name} returns`),
  };
}

/** Properties of the AI SDK's tools that are for its own loop. */
const OTHERS = ['type', 'id', 'title', 'args', 'strict', 'inputExamples', 'metadata', 'providerOptions', 'needsApproval', 'toModelOutput', 'onInputStart', 'onInputDelta', 'onInputAvailable', 'supportsDeferredResults'];

/** What a host passes to `sendTools`, sorted out. */
function gather(tools, { deferred, ...unknown } = {}) {
  if (typeof tools !== 'object' || tools === null) throw new TypeError('sendTools needs an object of functions');
  known(unknown, 'sendTools', ['deferred']);
  const set = new ToolSet(tools);
  collect(set, tools, '', 0);
  if (deferred) for (const spec of set.specs) spec.deferred ??= true;
  return set;
}

/** Namespaces may be nested so deep. */
const MAX_NAMESPACES = 15;

/** Functions of an object, and of the objects in it, which are namespaces: `{ Host: { readDoc } }` is called as `Host.readDoc()`. */
function collect(set, tools, prefix, depth) {
  for (const key of Object.keys(tools)) {
    const given = tools[key];
    const name = prefix + key;
    if (prefix !== '' && key.includes('.')) throw new TypeError(`the tool ${name} has a dot in its name`);
    if (isNamespace(given) && typeof given.execute !== 'function' && depth < MAX_NAMESPACES) collect(set, given, `${name}.`, depth + 1);
    else add(set, name, given, tools);
  }
}

/** Adds one tool: a function, or a description with one in it. */
function add(set, name, given, receiver) {
  let about = {};
  let fn = given;
  if (typeof given === 'object' && given !== null && typeof given.execute === 'function') {
    // As the AI SDKs have it: a description with a function in it.
    const { execute, inputSchema, outputSchema, parameters = inputSchema, returns = outputSchema, ...rest } = given;
    for (const other of OTHERS) delete rest[other];
    fn = (...args) => Reflect.apply(execute, given, args);
    about = { context: 'ai', ...check({ ...rest, parameters, returns }, `the tool ${name}`) };
  } else if (typeof given !== 'function') {
    throw new TypeError(`the tool ${name} is not a function`);
  } else {
    about = given[spec] ?? {};
  }
  const { context, ...rest } = about;
  if (context) set.contexts.set(name, context === 'ai' ? 'ai' : 'last');
  set.functions.set(name, fn);
  const native = given[builtin];
  const isPromise = given[promises] || isAsync(given) || isAsync(given.execute);
  let index = native && set.builtins.indexOf(native.files);
  if (index === -1) index = set.builtins.push(native.files) - 1;
  set.specs.push({ name, ...rest, promises: isPromise || undefined, builtin: native && { index, tool: native.tool } });
  set.receivers.set(name, receiver);
}

/** A plain object with something in it. */
function isNamespace(given) {
  if (typeof given !== 'object' || given === null) return false;
  const prototype = Object.getPrototypeOf(given);
  return (prototype === Object.prototype || prototype === null) && Object.keys(given).length > 0;
}

module.exports = { ToolSet, add, builtin, gather, spec, suspending, tool, toolsFromSchemas };
