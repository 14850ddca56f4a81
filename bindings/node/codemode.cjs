'use strict';
// An executor in the form that Cloudflare's codemode asks for: a program, functions by namespace, one result that is never
// an exception.

const { SESExecutor, prepareProgram, validateCode } = require('./index.cjs');

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
      await executor.run(prelude);
      const { output, error, entries } = await executor.execute(program(String(code)), { name: 'codemode.js' });
      const logs = entries.map(line);
      return error === undefined ? { result: output, logs } : { result: undefined, error: error.message, logs };
    } catch (error) {
      return { result: undefined, error: error.message };
    } finally {
      await executor.cleanup().catch(() => {});
    }
  }
}

/** Tools under names that nobody would choose, and the code that makes objects of them. */
function namespaces(providersOrFns) {
  const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: DEFAULT_NAMESPACE, fns: providersOrFns }];
  const tools = {};
  const names = new Set();
  let prelude = 'undefined;\n';
  providers.forEach(({ name = DEFAULT_NAMESPACE, fns, positionalArgs = false }, i) => {
    if (!IDENTIFIER.test(name)) throw new TypeError(`Provider name ${JSON.stringify(name)} is not a valid JavaScript identifier`);
    if (names.has(name)) throw new TypeError(`Duplicate provider name ${JSON.stringify(name)}`);
    names.add(name);
    const members = Object.keys(fns).map((key, j) => {
      const global = `${name}$${i}$${j}`;
      // Like there, every function is asynchronous, and takes one object unless it says otherwise.
      tools[global] = async (...args) => (positionalArgs ? fns[key](...args) : fns[key](args[0] ?? {}));
      return `${JSON.stringify(key)}: (...args) => ${global}(...args)`;
    });
    prelude += `globalThis.${name} = Object.freeze({ __proto__: null, ${members.join(', ')} });\n`;
  });
  return { tools, prelude };
}

/** A program whose value is what the code gives: what its function returns if it is one, else what it ends with. */
function program(code) {
  const exported = code.replace(/^(\s*(?:```\w*[ \t]*\r?\n)?\s*)(export\s+default\s)/, (_, before, words) => before + ' '.repeat(words.length));
  const { transformedCode } = prepareProgram(exported);
  const expression = transformedCode.replace(/[\s;]+$/, '');
  const call = `return (async (program) => (typeof program === 'function' ? program() : program))((${expression}\n));`;
  const isExpression = expression.trim() !== '' && !validateCode(call).some(({ severity }) => severity === 'ERROR');
  return isExpression ? call : exported;
}

function line({ level, message }) {
  return level === 'warn' || level === 'error' ? `[${level}] ${message}` : message;
}

/** An executor for codemode. */
function createExecutor(options) {
  return new HotcellExecutor(options);
}

module.exports = { HotcellExecutor, createExecutor };
