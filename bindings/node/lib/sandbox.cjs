'use strict';
// Sandboxes: a shell and files of its own.

const { AsyncResource } = require('node:async_hooks');
const { NativeSandbox } = require('./native.cjs');
const { copyOf } = require('./copy.cjs');
const { host, listen, newId, operate, tellSoon } = require('./host.cjs');
const { complain, known, toJson } = require('./options.cjs');

/** What came of a command. */
class RunResult {
  #stdout;
  #stderr;

  constructor(json, stdout, stderr) {
    Object.assign(this, JSON.parse(json));
    [this.#stdout, this.#stderr] = [stdout, stderr];
    this.stdout = stdout.toString();
    this.stderr = stderr.toString();
  }

  /** Whether the exit code is 0. */
  get ok() {
    return this.exitCode === 0;
  }

  get stdoutBytes() {
    return this.#stdout;
  }

  get stderrBytes() {
    return this.#stderr;
  }
}

/** Who hears of output as it comes. */
class Listener {
  id = newId();
  resource = new AsyncResource('hotcell.output');
  #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  constructor(onOutput) {
    this.told = onOutput;
  }

  /** A character may come in two pieces. */
  onOutput(bytes, stream) {
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    this.told({ stream, bytes, text });
  }
}

/** Who hears of what is decided about a sandbox and its forks. */
class Auditor {
  id = newId();
  resource = new AsyncResource('hotcell.audit');

  constructor(onAudit) {
    if (typeof onAudit !== 'function') throw new TypeError('option onAudit must be a function');
    this.onAudit = onAudit;
    listen(this);
  }
}

/** Functions of the host's that are commands, and who hears of decisions. Forks of a sandbox have the same. */
class Commands {
  id = newId();
  functions = new Map();
  auditor;

  constructor(commands = {}, onAudit = undefined) {
    if (onAudit !== undefined && onAudit !== null) this.auditor = new Auditor(onAudit);
    if (typeof commands !== 'object' || commands === null) throw new TypeError('option commands must be an object of functions');
    for (const [name, fn] of Object.entries(commands)) {
      if (typeof fn !== 'function') throw new TypeError(`option commands.${name} must be a function`);
      if (name === '' || name.includes('/')) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a command`);
      this.functions.set(name, fn);
    }
  }

  /** What native code knows of it: numbers, and names. */
  get known() {
    return [this.id, [...this.functions.keys()], this.auditor?.id ?? 0];
  }

  /** Decisions come outside of operations, too. */
  tellSoon() {
    if (this.auditor) tellSoon();
  }

  call(name, native) {
    return this.functions.get(name)(new CommandCall(name, native));
  }
}

/** A stream that a command writes to. */
class Output {
  #write;

  constructor(write) {
    this.#write = write;
  }

  /** Promises that it is written; waits while a pipe is full. */
  write(data) {
    const bytes = bytesOf(data, 'what a command writes');
    const written = operate([], (id) => this.#write(id, bytes));
    // Who does not wait for it need not hear that nobody reads any more.
    written.catch(() => {});
    return written;
  }
}

/** Standard input of a command, as bytes that come. */
class Input {
  #native;

  constructor(native) {
    this.#native = native;
  }

  /** Some bytes, or `null` at the end. */
  async read() {
    const bytes = await operate([], (id) => this.#native.read(id));
    return bytes.length === 0 ? null : bytes;
  }

  /** Everything. */
  async bytes() {
    const pieces = [];
    for await (const piece of this) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Everything, as text. */
  async text() {
    return (await this.bytes()).toString();
  }

  async *[Symbol.asyncIterator]() {
    for (let piece = await this.read(); piece !== null; piece = await this.read()) yield piece;
  }
}

/** A call of a function of the host's by a shell. */
class CommandCall {
  constructor(name, native) {
    const { args, env, cwd } = JSON.parse(native.about);
    this.name = name;
    this.args = args;
    this.env = env;
    this.cwd = cwd;
    this.stdin = new Input(native);
    this.stdout = new Output((id, bytes) => native.write(id, false, bytes));
    this.stderr = new Output((id, bytes) => native.write(id, true, bytes));
  }
}

/** For an executor that a sandbox is attached to. */
const PARTS = Symbol.for('hotcell.sandbox.parts');

/** Says to the constructor that everything is there already. */
const MADE = Symbol('made elsewhere');

class Sandbox {
  #native;
  #commands;

  constructor(options = {}, made = undefined) {
    if (options === MADE) {
      [this.#native, this.#commands] = made;
      return;
    }
    const { commands, json } = partsOf(options);
    this.#commands = commands;
    this.#native = complain(() => new NativeSandbox(host, json, ...commands.known));
    this.#commands.tellSoon();
  }

  /** A sandbox as it was when `snapshot` was taken. Commands must be given again. */
  static async restore(snapshot, options) {
    if (!ArrayBuffer.isView(snapshot)) throw new TypeError('restore needs the bytes that snapshot() gave');
    const { commands, json } = partsOf(options);
    const bytes = await copyOf(snapshot);
    const native = await operate([], (id) => complain(() => NativeSandbox.restore(host, id, bytes, json, ...commands.known)));
    return new this(MADE, [native, commands]);
  }

  get [PARTS]() {
    return { native: this.#native, commands: this.#commands };
  }

  /** Its number in this process. */
  get id() {
    return this.#native.id;
  }

  get isRunning() {
    return this.#native.isRunning;
  }

  get isDestroyed() {
    return this.#native.isDestroyed;
  }

  async run(command, options = {}) {
    const { stdin, timeoutMs, signal, onOutput, ...unknown } = options ?? {};
    known(unknown, 'run', ['stdin', 'timeoutMs', 'signal', 'onOutput']);
    if (timeoutMs !== undefined && !(timeoutMs >= 1)) throw new TypeError(`timeoutMs is ${timeoutMs}: it must be a number of at least 1`);
    if (onOutput !== undefined && typeof onOutput !== 'function') throw new TypeError('option onOutput of run must be a function');
    const text = bytesOf(command, 'a command');
    const input = stdin === undefined ? undefined : Buffer.from(bytesOf(stdin, 'stdin'));
    const listener = onOutput && new Listener(onOutput);
    const held = listener ? [this.#commands, listener] : [this.#commands];
    let run;
    const abort = () => this.#native.abort(run);
    const ended = operate(held, (id) => {
      run = id;
      return complain(() => this.#native.run(id, text, input, timeoutMs, listener?.id ?? 0, Boolean(signal?.aborted)));
    });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return new RunResult(...(await ended));
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the command under way. False if there is none. */
  cancel() {
    return this.#native.cancel();
  }

  async fork() {
    const native = await this.#operate((id) => this.#native.fork(id));
    return new this.constructor(MADE, [native, this.#commands]);
  }

  async snapshot() {
    return await this.#operate((id) => this.#native.snapshot(id));
  }

  /** Ends everything, and gives files and shell up. */
  destroy() {
    this.#native.destroy();
    this.#commands.tellSoon();
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.destroy();
  }

  /** Bytes, or text with an encoding. */
  async readFile(path, encoding) {
    const bytes = await this.#operate((id) => this.#native.readFile(id, String(path)));
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }

  async writeFile(path, content) {
    await this.#operate((id) => this.#native.writeFile(id, String(path), bytesOf(content, 'content'), false));
  }

  async appendFile(path, content) {
    await this.#operate((id) => this.#native.writeFile(id, String(path), bytesOf(content, 'content'), true));
  }

  async stat(path) {
    return await this.#operate((id) => this.#native.stat(id, String(path), true));
  }

  async lstat(path) {
    return await this.#operate((id) => this.#native.stat(id, String(path), false));
  }

  async exists(path) {
    return await this.#operate((id) => this.#native.exists(id, String(path)));
  }

  async list(path = '.') {
    return await this.#operate((id) => this.#native.list(id, String(path)));
  }

  async mkdir(path, { recursive = false } = {}) {
    await this.#operate((id) => this.#native.mkdir(id, String(path), Boolean(recursive)));
  }

  async remove(path, { recursive = false } = {}) {
    await this.#operate((id) => this.#native.remove(id, String(path), Boolean(recursive)));
  }

  async rename(from, to) {
    await this.#operate((id) => this.#native.rename(id, String(from), String(to)));
  }

  async chmod(path, mode) {
    await this.#operate((id) => this.#native.chmod(id, String(path), mode));
  }

  async symlink(target, path) {
    await this.#operate((id) => this.#native.symlink(id, String(target), String(path)));
  }

  /** Everything below a directory, as a tar archive. */
  async export(path = '.') {
    return await this.#operate((id) => this.#native.exportTar(id, String(path)));
  }

  /** Puts what is in a tar archive below a directory. */
  async import(path, archive) {
    if (!ArrayBuffer.isView(archive)) throw new TypeError('import needs the bytes of a tar archive');
    const bytes = await copyOf(archive);
    await this.#operate((id) => this.#native.importTar(id, String(path), bytes));
  }

  async mount(path, { access, directory, ...unknown } = {}) {
    known(unknown, 'mount', ['access', 'directory']);
    await this.#operate((id) => complain(() => this.#native.mount(id, String(path), String(access), directory)));
  }

  async unmount(path) {
    await this.#operate((id) => this.#native.unmount(id, String(path)));
  }

  /** The value of a variable, or `undefined`. */
  async getEnv(name) {
    return (await this.#operate((id) => this.#native.getEnv(id, String(name)))) ?? undefined;
  }

  async setEnv(name, value) {
    await this.#operate((id) => this.#native.setEnv(id, String(name), String(value)));
  }

  async unsetEnv(name) {
    await this.#operate((id) => this.#native.setEnv(id, String(name), undefined));
  }

  async history() {
    return await this.#operate((id) => this.#native.history(id));
  }

  /** Where the next command begins. */
  async cwd() {
    return await this.#operate((id) => this.#native.cwd(id));
  }

  #operate(start) {
    return operate([this.#commands], start);
  }
}

/** Options: what is a function, and all else as JSON. */
function partsOf(options) {
  const { commands, onAudit, ...rest } = options ?? {};
  return { commands: new Commands(commands, onAudit), json: jsonOf(rest) };
}

/** Options as JSON. Files may be bytes. */
function jsonOf(options) {
  const { files, ...rest } = options;
  if (files === undefined || files === null) return toJson(options);
  const contents = Object.entries(files).map(([path, content]) => [
    path,
    ArrayBuffer.isView(content) ? { base64: bufferOf(content).toString('base64') } : content,
  ]);
  return toJson({ ...rest, files: Object.fromEntries(contents) });
}

function bufferOf({ buffer, byteOffset, byteLength }) {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Text, or a buffer. */
function bytesOf(data, what) {
  if (typeof data === 'string') return data;
  if (ArrayBuffer.isView(data)) return bufferOf(data);
  throw new TypeError(`${what} must be a string or bytes`);
}

module.exports = { Sandbox, partsOf };
