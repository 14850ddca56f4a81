'use strict';

const { AsyncResource } = require('node:async_hooks');
const { setImmediate } = require('node:timers');
const { NativeExecutor } = require('./native.cjs');
const { ExecutorError } = require('./error.cjs');
const { host, newId, operate } = require('./host.cjs');
const { complain, known, toJson } = require('./options.cjs');
const { copyOf } = require('./copy.cjs');

/** What an executor calls of its host's while it runs. */
class Hooks {
  id = newId();
  /** They are called in the context in which they were given. */
  resource = new AsyncResource('hotcell.hooks');

  constructor({ onLog, onApproval, onNotify, onEvent }, store) {
    for (const [name, hook] of Object.entries({ onLog, onApproval, onNotify, onEvent })) {
      if (hook !== undefined && typeof hook !== 'function') throw new TypeError(`option ${name} must be a function`);
    }
    this.onLog = onLog;
    this.onApproval = onApproval;
    this.onNotify = onNotify;
    this.onEvent = onEvent;
    this.store = store;
  }

  /** What native code has to know of them. The same numbers are in src/executor.rs. */
  get known() {
    const wanted = [[1, this.onLog], [2, this.onApproval], [4, this.onNotify], [8, this.store], [16, this.onEvent]];
    return [this.id, wanted.reduce((sum, [number, hook]) => (hook === undefined ? sum : sum + number), 0)];
  }

  /** The same for another executor: a call says by its hooks whose it is. */
  copy() {
    return new Hooks(this, this.store);
  }

  /** Does what code asks of the store. */
  call(name, [key, value]) {
    if (name === 'load') return this.store.get(key);
    if (value !== undefined) return settled(this.store.set(key, value));
    return settled(typeof this.store.delete === 'function' ? this.store.delete(key) : this.store.set(key, undefined));
  }
}

/** What a store gives for a value that it took is nothing to the code; only when it is done is. */
function settled(done) {
  return typeof done?.then === 'function' ? done.then(() => undefined) : undefined;
}

/** Takes those options out that are functions of the host's, and a store that is an object. What is left is data. */
function takeHooks(options) {
  const { onLog, onApproval, onNotify, onEvent, ...rest } = options ?? {};
  let store;
  if (typeof rest.store === 'object' && rest.store !== null) {
    ({ store } = rest);
    if (typeof store.get !== 'function' || typeof store.set !== 'function') throw new TypeError('option store must be true, or an object with get and set, such as a Map');
    rest.store = true;
  }
  return { hooks: new Hooks({ onLog, onApproval, onNotify, onEvent }, store), rest };
}

/** Says to the constructor that everything is there already. */
const READY = Symbol('made elsewhere');

/** The set of commands that a sandbox calls, and its native half: see sandbox.cjs. */
const PARTS = Symbol.for('hotcell.sandbox.parts');

class SESExecutor {
  #native;
  #hooks;
  /** Modules that are made of functions and values. */
  #modules;
  /** The set that each tool is from. */
  #tools = new Map();
  /** Sets that are being sent. */
  #sending = new Set();
  /** Calls of `init` that have not ended. */
  #inits = 0;
  /** The commands of the sandbox that is attached to it. */
  #attached;
  /** Runs that have not ended, the oldest first, by the numbers of their operations. */
  #runs = new Map();
  /** Runs that go on by themselves, or have ended and were not fetched, by their ids. */
  #background = new Map();
  /** The operation of the run that was begun last. */
  #lastRun;

  constructor(options = {}, made = undefined) {
    if (options === READY) {
      [this.#native, this.#hooks, this.#tools, this.#modules, this.#attached] = made;
      return;
    }
    const { hooks, rest } = takeHooks(options);
    this.#hooks = hooks;
    this.#modules = takeModules(rest);
    const json = toJson(options === null ? null : rest);
    this.#native = complain(() => new NativeExecutor(host, json, ...this.#hooks.known, this.#modules?.native()));
  }

  /** An executor as it was when `snapshot` was taken. Tools must be sent again. A sandbox that was attached to it is there, too. */
  static async restore(snapshot, options) {
    if (!ArrayBuffer.isView(snapshot)) throw new TypeError('restore needs the bytes that snapshot() gave');
    const { tools, base, sandbox, ...given } = options ?? {};
    const { hooks, rest } = takeHooks(given);
    const modules = takeModules(rest);
    const json = options === undefined ? undefined : toJson(rest);
    const { commands, json: sandboxJson } = require('./sandbox.cjs').partsOf(sandbox);
    const bytes = await copyOf(snapshot);
    const before = await baseOf(base);
    const native = await operate([], (id) =>
      complain(() => NativeExecutor.restore(host, id, bytes, before, json, ...hooks.known, modules?.native(), sandboxJson, ...commands.known)),
    );
    const executor = new this(READY, [native, hooks, new Map(), modules, commands]);
    if (tools !== undefined) await executor.sendTools(tools);
    return executor;
  }

  get state() {
    const state = this.#native.state;
    // It may not have begun yet, but it is on its way.
    if (this.#inits > 0 && (state === 'NEW' || state === 'DEAD')) return 'INITIALIZING';
    if (this.#runs.size > 0 && state === 'READY') return 'RUNNING';
    return state;
  }

  get queued() {
    return this.#native.queued;
  }

  get tools() {
    return JSON.parse(this.#native.tools);
  }

  get options() {
    return JSON.parse(this.#native.options);
  }

  get modules() {
    return JSON.parse(this.#native.modules);
  }

  /** The files that its tools work on. */
  get files() {
    for (const set of this.#tools.values()) {
      if (set.builtins.length > 0) return set.files ??= new (require('./files.cjs').Files)(set.builtins[0]);
    }
    return undefined;
  }

  async init() {
    this.#inits += 1;
    try {
      await this.#operate((id) => this.#native.init(id));
    } finally {
      this.#inits -= 1;
    }
  }

  async sendVariables(variables) {
    if (typeof variables !== 'object' || variables === null) throw new TypeError('sendVariables needs an object');
    const names = Object.keys(variables);
    const values = names.map((name) => variables[name]);
    const { pack } = require('./pack.cjs');
    await this.#operate((id) =>
      pack(values, names, (...pieces) => this.#native.sendVariables(id, names, ...pieces)),
    );
  }

  async sendTools(tools, options) {
    const set = require('./tools.cjs').gather(tools, options);
    // A run that is started before this has ended may call them already.
    this.#sending.add(set);
    try {
      await this.#operate((id) => complain(() => set.send(this.#native, id)));
      for (const name of set.functions.keys()) this.#tools.set(name, set);
    } finally {
      this.#sending.delete(set);
    }
  }

  /** The tools of a sandbox: `bash`, and files. Forks and snapshots of this take it along. */
  async attach(sandbox) {
    const parts = sandbox?.[PARTS];
    if (parts === undefined) throw new TypeError('attach needs a Sandbox');
    await this.#operate((id) => this.#native.attach(id, parts.native));
    this.#attached = parts.commands;
  }

  async run(code, options) {
    const { error, ...output } = await this.#run(code, options);
    if (error !== undefined) throw error;
    return output;
  }

  async execute(code, options) {
    try {
      return await this.#run(code, options);
    } catch (error) {
      return failed(error);
    }
  }

  /** Runs code to its end, or until it waits for its host. */
  async start(code, options) {
    const { yieldAfterMs, traceparent, ...rest } = options ?? {};
    const native = (id, code, name, times, callFunction) =>
      this.#native.begin(id, code, name, times, callFunction, traceparent);
    const begin = () => this.#run(code, rest, native).catch(completed);
    return await this.#within(yieldAfterMs, begin, () => this.#native.lastStarted);
  }

  /** Gives a suspended run answers, and takes it further. */
  async resume(answers, options) {
    const { yieldAfterMs, signal, context, ...unknown } = options ?? {};
    known(unknown, 'resume', ['yieldAfterMs', 'signal', 'context']);
    const { calls, kinds, values } = require('./runs.cjs').sortOut(answers);
    const { pack } = require('./pack.cjs');
    const names = calls.map((call) => `the answer to ${call}`);
    const native = (id) => pack(values, names, (...pieces) => this.#native.resume(id, calls, kinds, ...pieces));
    const [id] = calls;
    return await this.#within(yieldAfterMs, () => this.#follow(native, signal, context), () => String(id).split('.')[0]);
  }

  /** The run that waits for answers, if there is one. */
  async suspension() {
    return await this.#operate((id) => this.#native.suspension(id));
  }

  /** Gives up the run that waits for answers. */
  async abandon() {
    await this.#operate((id) => this.#native.abandon(id));
  }

  /** Waits for the end of a run that goes on by itself, and fetches what came of it. */
  async wait(id, options) {
    const { yieldAfterMs, ...unknown } = options ?? {};
    known(unknown, 'wait', ['yieldAfterMs']);
    return await this.#fetch(id, this.#backgroundRun(id), yieldAfterMs);
  }

  /** Ends a run that goes on by itself; what came of it is there to be fetched. */
  cancelRun(id) {
    this.#native.abort(this.#backgroundRun(id).operation);
  }

  /** Ends a run that goes on by itself, and forgets it. */
  async giveUp(id) {
    const { operation, ended } = this.#backgroundRun(id);
    this.#background.delete(String(id));
    this.#native.abort(operation);
    const started = await ended.catch(() => undefined);
    if (started?.status === 'suspended' && this.state === 'SUSPENDED') await this.abandon();
  }

  /** The ids of runs that go on by themselves, or have ended and were not fetched. */
  get backgroundRuns() {
    return [...this.#background.keys()];
  }

  /** What happens from here on. */
  events(options) {
    const { maxUnread, maxUnreadBytes, ...unknown } = options ?? {};
    known(unknown, 'events', ['maxUnread', 'maxUnreadBytes']);
    for (const [name, value] of Object.entries({ maxUnread, maxUnreadBytes })) {
      if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value < 2 ** 32)) {
        throw new TypeError(`${name} is ${value}: it must be a whole number of at least 1`);
      }
    }
    return new (require('./runs.cjs').Events)(this.#native.events(maxUnread, maxUnreadBytes));
  }

  /** Ready again, with its state, after a run that timed out. */
  async recover() {
    await this.#operate((id) => this.#native.recover(id));
  }

  cancel() {
    const [underWay] = this.#runs.keys();
    if (underWay === undefined) return false;
    this.#native.abort(underWay);
    return true;
  }

  async snapshot(options) {
    const { base, ...unknown } = options ?? {};
    known(unknown, 'snapshot', ['base']);
    const before = await baseOf(base);
    return await this.#operate((id) => this.#native.snapshot(id, before));
  }

  async fork() {
    const modules = this.#modules?.copy();
    const hooks = this.#hooks.copy();
    const native = await this.#operate((id) => this.#native.fork(id, ...hooks.known, modules?.native()));
    // Sets belong to one executor: a call says by its set whose it is.
    const tools = new Map();
    for (const set of new Set(this.#tools.values())) {
      const names = [...this.#tools.keys()].filter((name) => this.#tools.get(name) === set);
      const copy = set.copy();
      await operate([], (id) => copy.send(native, id, names));
      for (const name of names) tools.set(name, copy);
    }
    return new this.constructor(READY, [native, hooks, tools, modules, this.#attached]);
  }

  async cleanup() {
    await this.#operate((id) => this.#native.cleanup(id));
    this.#tools.clear();
    this.#background.clear();
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    if (this.state === 'NEW') return;
    for (const run of this.#runs.keys()) this.#native.abort(run);
    await Promise.allSettled(this.#runs.values());
    await this.cleanup();
  }

  validate(code) {
    return JSON.parse(this.#native.validate(String(code)));
  }

  async validateAsync(code) {
    const text = String(code);
    return await this.#operate((id) => this.#native.validateAsync(id, text));
  }

  renderPrompt(context = {}) {
    return require('./texts.cjs').promptOf({ tools: this.tools, modules: this.modules, ...context }, this.options);
  }

  /** Begins a run, and waits for it: so long, if that is given. Then it goes on by itself under its id. */
  async #within(yieldAfterMs, begin, idOf) {
    if (yieldAfterMs === undefined) return await begin();
    if (!(yieldAfterMs >= 0)) throw new TypeError(`yieldAfterMs is ${yieldAfterMs}: it must be a number of at least 0`);
    const most = this.options.maxBackgroundRuns;
    if (this.#background.size >= most) {
      const hint = `${most} runs are in the background already (maxBackgroundRuns): wait() for one, or giveUp() one`;
      throw new ExecutorError({
        code: 'ERR_INVALID_STATE',
        severity: 'ERROR',
        message: `Invalid executor state: ${this.state}`,
        retryable: false,
        details: { state: this.state, method: 'start', hint },
      });
    }
    this.#lastRun = undefined;
    const ended = begin();
    // It did not even begin.
    if (this.#lastRun === undefined) return await ended;
    const run = { operation: this.#lastRun, ended };
    // Nobody may ask for it any more.
    ended.catch(() => {});
    const id = idOf();
    this.#background.set(id, run);
    return await this.#fetch(id, run, yieldAfterMs);
  }

  async #fetch(id, run, yieldAfterMs) {
    const { ended } = run;
    let isOver = false;
    const over = () => (isOver = true);
    const settled = ended.then(over, over);
    await (yieldAfterMs === undefined ? settled : inTime(settled, yieldAfterMs));
    if (!isOver) return await this.#operate((operation) => this.#native.soFar(operation, String(id)));
    // The first to ask gets it.
    if (this.#background.get(String(id)) !== run) throw unknownRun(id);
    this.#background.delete(String(id));
    return await ended;
  }

  #backgroundRun(id) {
    const run = this.#background.get(String(id));
    if (run === undefined) throw unknownRun(id);
    return run;
  }

  #operate(start, context) {
    const held = new Set([this.#hooks, ...this.#tools.values(), ...this.#sending]);
    if (this.#modules !== undefined) held.add(this.#modules.set);
    if (this.#attached !== undefined) held.add(this.#attached);
    return operate([...held], start, context);
  }

  async #run(code, options = {}, begin = (...args) => this.#native.run(...args)) {
    const { signal, timeoutMs, cpuTimeMs, name, context, callFunction, ...unknown } = options ?? {};
    known(unknown, 'run', ['signal', 'timeoutMs', 'cpuTimeMs', 'name', 'context', 'callFunction']);
    if (typeof code !== 'string') code = code === undefined || code === null ? '' : String(code);
    const times = timesOf(timeoutMs, cpuTimeMs);
    return await this.#follow((id) => begin(id, code, name, times, Boolean(callFunction)), signal, context);
  }

  /** Follows something that is a run from its begin to its end. */
  async #follow(begin, signal, context) {
    if (signal?.aborted) throw cancelled(signal);
    let run;
    const abort = () => this.#native.abort(run);
    const ended = this.#operate((id) => {
      run = id;
      return complain(() => begin(id));
    }, context);
    this.#lastRun = run;
    this.#runs.set(run, ended);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const report = await ended;
      if (signal?.aborted && report.error?.code === 'ERR_CANCELLED') report.error.cause = signal.reason;
      return report;
    } catch (error) {
      if (signal?.aborted && error.code === 'ERR_CANCELLED') error.cause = signal.reason;
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#runs.delete(run);
    }
  }
}

/** The bytes of an earlier snapshot. */
async function baseOf(base) {
  if (base === undefined) return undefined;
  if (!ArrayBuffer.isView(base)) throw new TypeError('base must be the bytes that an earlier snapshot() gave');
  return await copyOf(base);
}

/** Resolves with `promise`, or with `undefined` when it takes longer than that. */
async function inTime(promise, ms) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The times of a run as native code takes them: NaN for what is not given, infinity for no timeout. */
function timesOf(timeoutMs, cpuTimeMs) {
  for (const [name, time] of Object.entries({ timeoutMs, cpuTimeMs })) {
    if (time !== undefined && time !== null && !(time >= 1)) throw new TypeError(`${name} is ${time}: it must be a number of at least 1`);
  }
  return new Float64Array([timeoutMs === null ? Infinity : timeoutMs ?? NaN, cpuTimeMs ?? NaN]);
}

/** Takes those modules out of the options that JSON cannot say. */
function takeModules(options) {
  if (options.modules === undefined) return undefined;
  const { sources, made } = require('./modules.cjs').sortOut(options.modules);
  options.modules = sources;
  return made;
}

function cancelled(signal) {
  const error = { code: 'ERR_CANCELLED', severity: 'ERROR', message: 'Execution cancelled', retryable: true, logs: '' };
  return new ExecutorError(error, { cause: signal.reason });
}

/** What a run has to tell that failed. */
function failed(error) {
  return {
    output: undefined,
    logs: error.logs ?? '',
    is_final_answer: false,
    entries: error.entries ?? [],
    content: error.content ?? [],
    diagnostics: error.details?.diagnostics ?? [],
    stats: undefined,
    calls: [],
    error,
  };
}

/** The same for `start`. What is a mistake of the caller's is thrown. */
function completed(error) {
  if (!(error instanceof ExecutorError)) throw error;
  return { status: 'complete', ...failed(error) };
}

function unknownRun(id) {
  return new ExecutorError({
    code: 'ERR_UNKNOWN_RUN',
    severity: 'ERROR',
    message: `Unknown run: there is none with the id ${JSON.stringify(String(id).slice(0, 80))} in the background: what came of it was fetched, or it was given up`,
    retryable: false,
    details: { hint: 'the ids are those that start() gave with the status running; events tell when a run ends' },
  });
}

module.exports = { SESExecutor };
