'use strict';
// An executor in the form that Cloudflare's codemode asks for: a program, functions by namespace, one result that is never
// an exception.

const { SESExecutor, observation } = require('./index.cjs');
const { IDENTIFIER, anything, namespace } = require('./namespaces.cjs');
const { warnings } = require('./warnings.cjs');

/** The namespace of functions that come without one. */
const DEFAULT_NAMESPACE = 'codemode';
/**
 * The limit there is the time that code computes: not its loops (so many no program makes), and not what its functions take, which
 * is up to the host.
 */
const DEFAULTS = { timeoutMs: null, cpuTimeMs: 30_000, maxOperations: Number.MAX_SAFE_INTEGER };

/** What a connector gives that is no result. */
const CONTROL = '__codemode_control__';
/** The words of an error by which a durable runtime knows that the code waits for approval. */
const PAUSE = '__CODEMODE_PAUSE__';

class HotcellExecutor {
  #options;

  constructor(options = {}) {
    // A mistake in the options should show here and not in each result.
    new SESExecutor({ ...DEFAULTS, ...options });
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Runs the code in a sandbox of its own. Never throws. */
  async execute(code, providersOrFns = [], { connectors = [] } = {}) {
    const executor = new SESExecutor(this.#options);
    try {
      const { tools, preludes } = gather(providersOrFns, connectors);
      await executor.init();
      await executor.sendTools(tools);
      for (const prelude of preludes) await executor.run(prelude, { name: 'prelude.js' });
      const { output, error, entries, diagnostics } = await executor.execute(program(String(code)), { name: 'codemode.js', callFunction: true });
      const logs = entries.map(line);
      return error === undefined ? { result: output, logs: [...logs, ...warnings(diagnostics).map((text) => `[warning] ${text}`)] } : { result: undefined, error: words(error), logs };
    } catch (error) {
      return { result: undefined, error: error.message };
    } finally {
      await executor.cleanup().catch(() => {});
    }
  }
}

/** There is only one text for the model: all that it should read belongs into it, except the logs, which it gets beside it. */
function words({ code, message, details }) {
  return observation(Object.assign(new Error(message), { code, details }));
}

/** What providers and connectors bring: tools, and code that is run before the program. */
function gather(providersOrFns, connectors) {
  const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: DEFAULT_NAMESPACE, fns: providersOrFns }];
  const tools = {};
  const preludes = [];
  const names = new Set(connectors.map(({ name }) => name));
  const add = (made) => {
    Object.assign(tools, made.tools);
    if (made.prelude !== '') preludes.push(made.prelude);
  };
  const own = [];
  const seen = new Set();
  for (const { name = DEFAULT_NAMESPACE, fns, prelude } of providers) {
    check(name, 'Provider', seen);
    // As there, a connector of the same name stands in its place.
    if (names.has(name)) continue;
    // As there, every function is asynchronous, and is called with what code passes.
    const members = Object.fromEntries(Object.keys(fns).map((key) => [key, async (...args) => fns[key](...args)]));
    add(namespace(name, members, { open: prelude !== undefined }));
    if (prelude !== undefined) own.push(prelude, `Object.freeze(globalThis.${name});`);
  }
  seen.clear();
  for (const { name, binding } of connectors) {
    check(name, 'Connector', seen);
    add(anything(name, async (method, argument) => taken(await binding.callTool(method, argument))));
  }
  return { tools, preludes: [...preludes, ...own] };
}

function check(name, what, seen) {
  if (!IDENTIFIER.test(name)) throw new TypeError(`${what} name ${JSON.stringify(name)} is not a valid JavaScript identifier`);
  if (seen.has(name)) throw new TypeError(`Duplicate ${what.toLowerCase()} name ${JSON.stringify(name)}`);
  seen.add(name);
}

/** A connector tells by its result that the code is to stop, or failed. */
function taken(result) {
  const control = typeof result === 'object' && result !== null ? result[CONTROL] : undefined;
  if (control === 'pause') throw new Error(PAUSE);
  if (control === 'error') throw new Error(String(result.message));
  return result;
}

/** What is exported is the program; nothing moves. */
function program(code) {
  return code.replace(/^(\s*(?:```\w*[ \t]*\r?\n)?\s*)(export\s+default\s)/, (_, before, words) => before + ' '.repeat(words.length));
}

function line({ level, message }) {
  return level === 'warn' || level === 'error' ? `[${level}] ${message}` : message;
}

/** An executor for codemode. */
function createExecutor(options) {
  return new HotcellExecutor(options);
}

module.exports = { HotcellExecutor, createExecutor };
