'use strict';
// Functions as tools, and what a model is told about them.

const { newId } = require('./host.cjs');

/** Under this key a function says what it does: see `ToolSpec` in index.d.cts. */
const spec = Symbol.for('hotcell.tool');
/** Under this key a function of ours says that native code can do what it does. */
const builtin = Symbol('hotcell.builtin');

const SPEC_KEYS = ['description', 'parameters', 'returns', 'permission', 'positional', 'mode'];

/** The functions of one `sendTools`, for one executor. */
class ToolSet {
  id = newId();
  functions = new Map();
  /** What native code is told of them. */
  specs = [];
  /** File tools that native code does by itself. */
  builtins = [];

  constructor(receiver) {
    this.receiver = receiver;
  }

  /** The same for another executor. */
  copy() {
    return Object.assign(Object.create(ToolSet.prototype), this, { id: newId() });
  }

  /** Sends those of them that are in `names`, or all. */
  send(native, operation, names) {
    const specs = names ? this.specs.filter(({ name }) => names.includes(name)) : this.specs;
    return native.sendTools(operation, this.id, JSON.stringify(specs), this.builtins);
  }

  call(name, args) {
    const tool = this.functions.get(name);
    return Reflect.apply(tool, this.receiver, args);
  }
}

/** Gives a function what a model needs to know about it. */
function tool(fn, about) {
  if (typeof fn !== 'function') throw new TypeError('tool needs a function');
  const described = function (...args) {
    return Reflect.apply(fn, this, args);
  };
  Object.defineProperty(described, 'name', { value: fn.name, configurable: true });
  described[spec] = check(about, fn.name || 'the tool');
  return described;
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
  return about;
}

/** What a host passes to `sendTools`, sorted out. */
function gather(tools) {
  if (typeof tools !== 'object' || tools === null) throw new TypeError('sendTools needs an object of functions');
  const set = new ToolSet(tools);
  for (const name of Object.keys(tools)) {
    const given = tools[name];
    let about = {};
    let fn = given;
    if (typeof given === 'object' && given !== null && typeof given.execute === 'function') {
      // As the AI SDKs have it: a description with a function in it.
      const { execute, inputSchema, outputSchema, parameters = inputSchema, returns = outputSchema, ...rest } = given;
      fn = (...args) => Reflect.apply(execute, given, args);
      about = check({ ...rest, parameters, returns }, `the tool ${name}`);
    } else if (typeof given !== 'function') {
      throw new TypeError(`the tool ${name} is not a function`);
    } else {
      about = given[spec] ?? {};
    }
    set.functions.set(name, fn);
    const native = given[builtin];
    set.specs.push({ name, ...about, builtin: native && { index: set.builtins.length, tool: native.tool } });
    if (native) set.builtins.push(native.tools);
  }
  return set;
}

module.exports = { builtin, gather, spec, tool, toolsFromSchemas };
