// The executor contract on Node with nothing but SES: what hotcell's users would write without it. Not part of hotcell.

import 'ses';
import { inspect, types } from 'node:util';
import { prepare } from './prepare.mjs';

const RETRYABLE = new Set(['ERR_VALIDATION_FAILED', 'ERR_IMPORT_NOT_ALLOWED', 'ERR_MAX_OPS_EXCEEDED', 'ERR_EXEC_TIMEOUT']);
const LEVELS = ['log', 'info', 'warn', 'error'];
const DEFAULTS = {
  maxOperations: 50_000, timeoutMs: 10_000, runConcurrency: 'reject', maxQueuedRuns: 0, authorizedImports: [],
  maxLogBytes: 262_144, collectConsoleLevels: LEVELS, modules: {}, guards: true,
};

let locked = false;
function lockDown() {
  if (locked) return;
  lockdown({ errorTaming: 'unsafe', consoleTaming: 'unsafe', overrideTaming: 'moderate' });
  locked = true;
}

class FinalAnswerSignal extends Error {
  constructor(value) {
    super('final_answer');
    this.value = value;
  }
}

function failure(code, message, more = {}) {
  const { cause, ...rest } = more;
  const severity = code === 'ERR_SES_INIT_FAILED' ? 'FATAL' : 'ERROR';
  return Object.assign(new Error(message, { cause }), { code, severity, retryable: RETRYABLE.has(code), ...rest });
}

export class SESExecutor {
  #options;
  #state = 'NEW';
  #compartment;
  #queue = [];
  #toolErrors = new WeakSet();
  #logs = [];
  #logBytes = 0;

  constructor(options = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  get state() {
    return this.#state;
  }

  async init() {
    if (this.#state === 'READY') return;
    this.#expect('NEW', 'DEAD');
    try {
      lockDown();
      const { modules } = this.#options;
      const globals = {
        console: this.#console(),
        FinalAnswerSignal,
        final_answer(value) { throw new FinalAnswerSignal(value); },
        async __smol_import(name) {
          if (!Object.hasOwn(modules, name)) throw new Error(`Module not provided: ${name}`);
          return modules[name];
        },
      };
      this.#compartment = new Compartment({ __options__: true, globals: harden(globals) });
      this.#state = 'READY';
    } catch (cause) {
      this.#state = 'DEAD';
      throw failure('ERR_SES_INIT_FAILED', `SES init failed: ${cause}`, { cause });
    }
  }

  async sendVariables(variables) {
    this.#expect('READY');
    for (const [name, value] of Object.entries(variables)) this.#define(name, structuredClone(value));
  }

  async sendTools(tools) {
    this.#expect('READY');
    for (const [name, tool] of Object.entries(tools)) this.#define(name, this.#bounded(tool));
  }

  async run(source) {
    const { runConcurrency, maxQueuedRuns } = this.#options;
    if (this.#state === 'RUNNING' && runConcurrency === 'queue' && this.#queue.length < maxQueuedRuns) {
      await new Promise((resolve) => this.#queue.push(resolve));
    }
    this.#expect('READY');
    this.#state = 'RUNNING';
    try {
      return await this.#execute(source);
    } finally {
      if (this.#state === 'RUNNING') this.#state = 'READY';
      this.#queue.shift()?.();
    }
  }

  async cleanup() {
    if (this.#state === 'DEAD') return;
    this.#expect('READY', 'DIRTY');
    this.#compartment = undefined;
    this.#state = 'DEAD';
  }

  async #execute(source) {
    const { diagnostics, code } = prepare(source, this.#options);
    if (code === undefined) {
      const imported = diagnostics.find(({ module }) => module !== undefined);
      throw imported
        ? failure('ERR_IMPORT_NOT_ALLOWED', imported.message, { details: { diagnostics } })
        : failure('ERR_VALIDATION_FAILED', 'Code validation failed', { details: { diagnostics } });
    }
    this.#logs = [];
    this.#logBytes = 0;
    const { timeoutMs } = this.#options;
    const late = {};
    let timer;
    const deadline = new Promise((_, reject) => { timer = setTimeout(reject, timeoutMs, late); });
    try {
      const output = await Promise.race([this.#compartment.evaluate(`(async () => {\n${code}\n})()`), deadline]);
      return { output, logs: this.#text(), is_final_answer: false };
    } catch (cause) {
      const logs = this.#text();
      if (cause instanceof FinalAnswerSignal) return { output: cause.value, logs, is_final_answer: true };
      if (cause === late) {
        this.#state = 'DIRTY';
        throw failure('ERR_EXEC_TIMEOUT', `Execution timed out after ${timeoutMs}ms`, { logs });
      }
      if (cause?.code === 'ERR_MAX_OPS_EXCEEDED') throw failure(cause.code, cause.message, { logs });
      throw this.#toolErrors.has(cause)
        ? failure('ERR_TOOL_PROXY_FAIL', `Tool execution failed: ${cause}`, { logs, cause })
        : failure('ERR_RUNTIME_EXCEPTION', `Runtime exception: ${cause}`, { logs, cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #expect(...states) {
    if (!states.includes(this.#state)) throw failure('ERR_INVALID_STATE', `Invalid executor state: ${this.#state}`);
  }

  #define(name, value) {
    this.#compartment.globalThis[name] = harden(value);
  }

  /** The tool, with its errors remembered so that a run that ends with one can say so. */
  #bounded(tool) {
    const marked = (thrown) => {
      const error = Object(thrown) === thrown ? thrown : new Error(String(thrown));
      this.#toolErrors.add(error);
      return error;
    };
    return (...given) => {
      try {
        const result = tool(...given);
        return types.isPromise(result) ? result.catch((thrown) => { throw marked(thrown); }) : result;
      } catch (thrown) {
        throw marked(thrown);
      }
    };
  }

  #console() {
    const { collectConsoleLevels } = this.#options;
    const entries = LEVELS.map((level) => [level, collectConsoleLevels.includes(level) ? (...given) => this.#log(given) : () => {}]);
    return Object.fromEntries(entries);
  }

  #log(given) {
    const { maxLogBytes } = this.#options;
    if (this.#logBytes > maxLogBytes) return;
    const line = given.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
    this.#logBytes += Buffer.byteLength(line) + 1;
    this.#logs.push(this.#logBytes > maxLogBytes ? '...[TRUNCATED]' : line);
  }

  #text() {
    return this.#logs.join('\n');
  }
}
