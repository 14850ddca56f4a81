'use strict';
// An executor in the form that Cloudflare's codemode asks for: a program, functions by namespace, one result that is never
// an exception.

const { SESExecutor, observation } = require('./index.cjs');

/** The namespace of functions that come without one. */
const DEFAULT_NAMESPACE = 'codemode';
/** The time is the limit there, not the loops. */
const DEFAULTS = { timeoutMs: 30_000, maxOperations: Number.MAX_SAFE_INTEGER };
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

class HotcellExecutor {
  #options;

  constructor(options = {}) {
    // A mistake in the options should show here and not in each result.
    new SESExecutor({ ...DEFAULTS, ...options });
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Runs the code in a sandbox of its own. Never throws. */
  async execute(code, providersOrFns = []) {
    const executor = new SESExecutor(this.#options);
    try {
      const { tools, prelude } = namespaces(providersOrFns);
      await executor.init();
      await executor.sendTools(tools);
      if (prelude !== '') await executor.run(prelude);
      const { output, error, entries } = await executor.execute(program(String(code)), { name: 'codemode.js', callFunction: true });
      const logs = entries.map(line);
      return error === undefined ? { result: output, logs } : { result: undefined, error: words(error), logs };
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

/**
 * Functions in namespaces. Their names may be any text there; those that are no identifiers are tools under other names, and the
 * prelude is code that makes objects of them.
 */
function namespaces(providersOrFns) {
  const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: DEFAULT_NAMESPACE, fns: providersOrFns }];
  const tools = {};
  const names = new Set();
  let prelude = '';
  providers.forEach(({ name = DEFAULT_NAMESPACE, fns, positionalArgs = false }, i) => {
    if (!IDENTIFIER.test(name)) throw new TypeError(`Provider name ${JSON.stringify(name)} is not a valid JavaScript identifier`);
    if (names.has(name)) throw new TypeError(`Duplicate provider name ${JSON.stringify(name)}`);
    names.add(name);
    // Like there, every function is asynchronous, and takes one object unless it says otherwise.
    const call = (key) => async (...args) => (positionalArgs ? fns[key](...args) : fns[key](args[0] ?? {}));
    const keys = Object.keys(fns);
    if (keys.length > 0 && keys.every((key) => IDENTIFIER.test(key))) {
      tools[name] = Object.fromEntries(keys.map((key) => [key, call(key)]));
      return;
    }
    const members = keys.map((key, j) => {
      const global = `${name}$${i}$${j}`;
      tools[global] = call(key);
      return `${JSON.stringify(key)}: (...args) => ${global}(...args)`;
    });
    prelude += `globalThis.${name} = Object.freeze({ __proto__: null, ${members.join(', ')} });\n`;
  });
  return { tools, prelude };
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
