// `process`: arguments, environment, streams, the end.

const listeners = [];

function output(fd) {
  return {
    fd,
    isTTY: false,
    columns: 80,
    write(data, ...rest) {
      call('print', fd, dataOf(data));
      const callback = rest.at(-1);
      if (typeof callback === 'function') callback();
      return true;
    },
    end(data) {
      if (data !== undefined) call('print', fd, dataOf(data));
    },
    on() {
      return this;
    },
    once() {
      return this;
    },
  };
}

/** Standard input: read whole, in pieces as they come, or by listeners. */
const stdin = {
  fd: 0,
  isTTY: false,
  setEncoding(encoding) {
    this.encoding = encoding;
    return this;
  },
  on(event, listener) {
    this.listeners[event] = [...(this.listeners[event] ?? []), listener];
    if ((event === 'data' || event === 'readable' || event === 'end') && !this.isFlowing) {
      this.isFlowing = true;
      waitFor(this.flow());
    }
    return this;
  },
  once(event, listener) {
    return this.on(event, listener);
  },
  addListener(event, listener) {
    return this.on(event, listener);
  },
  resume() {
    return this;
  },
  pause() {
    return this;
  },
  async *[Symbol.asyncIterator]() {
    for (let piece; (piece = this.piece()) !== null; ) yield piece;
  },
};
// Not what code that prints it wants to see.
Object.defineProperties(stdin, {
  listeners: { value: {} },
  isFlowing: { value: false, writable: true },
  encoding: { value: undefined, writable: true },
  decoder: { value: new TextDecoder() },
  piece: {
    value() {
      const bytes = call('readline', 0, false);
      if (this.encoding === undefined || this.encoding === null) return bytes;
      if (bytes !== null) return this.decoder.decode(bytes, { stream: true });
      return this.decoder.decode() || null;
    },
  },
  flow: {
    async value() {
      await null;
      for (let piece; (piece = this.piece()) !== null; ) {
        for (const listener of this.listeners.data ?? []) listener.call(this, piece);
        await null;
      }
      for (const event of ['end', 'close']) for (const listener of this.listeners[event] ?? []) listener.call(this);
    },
  },
});

const process = {
  argv: ['js', ...__js_arguments],
  env: { ...__js_environment },
  pid: __js_pid,
  platform: 'linux',
  arch: 'wasm32',
  version: 'v0.0.0',
  versions: {},
  execPath: '/usr/bin/js',
  exitCode: undefined,
  stdin,
  stdout: output(1),
  stderr: output(2),
  cwd: () => call('cwd'),
  chdir: (path) => call('chdir', pathOf(path)),
  exit(code = process.exitCode ?? 0) {
    const number = Number(code) & 0xff;
    for (const listener of listeners.splice(0)) listener(number);
    call('exit', number);
  },
  on(event, listener) {
    if (event === 'exit' || event === 'beforeExit') listeners.push(listener);
    return process;
  },
  once: (event, listener) => process.on(event, listener),
  nextTick: (callback, ...given) => void Promise.resolve().then(() => callback(...given)),
  uptime: () => (Date.now() - began) / 1000,
  hrtime: Object.assign(
    (since = [0, 0]) => {
      const now = Date.now() * 1e6 - (since[0] * 1e9 + since[1]);
      return [Math.floor(now / 1e9), now % 1e9];
    },
    { bigint: () => BigInt(Math.round(Date.now() * 1e6)) },
  ),
};
const began = now();

function now() {
  try {
    return Date.now();
  } catch {
    return 0;
  }
}

/** Waits until nothing is left to wait for, and tells the exit code. */
async function settle() {
  while (pending.size > 0) await Promise.race(pending);
  const code = Number(process.exitCode ?? 0) & 0xff;
  for (const listener of listeners.splice(0)) listener(code);
  return Number(process.exitCode ?? 0) & 0xff;
}

