'use strict';

const { NativeFiles } = require('./native.cjs');
const { host, operate } = require('./host.cjs');
const { complain, known } = require('./options.cjs');
const { builtin, spec } = require('./tools.cjs');

const OPTIONS = ['root', 'readOnly', 'overlay', 'memory', 'maxBytes', 'maxFiles'];

/** Files that sandboxes see: a directory, changes on top of one, or a file system in memory. */
class Files {
  #native;
  #tools;

  constructor(options = {}) {
    if (options instanceof NativeFiles) this.#native = options;
    else this.#native = open(options);
    this.#tools = gather(this.#native);
    for (const [name, fn] of Object.entries(forHost(this.#tools))) {
      Object.defineProperty(this, name, { value: fn, enumerable: false });
    }
  }

  /** The tools on these files, for `sendTools`. */
  tools() {
    return { ...this.#tools };
  }

  /** What is different from the directory under an overlay. */
  async changes() {
    return await operate([], (id) => this.#native.changes(host, id));
  }

  /** Makes the changes of an overlay in the directory itself. */
  async apply() {
    return await operate([], (id) => this.#native.apply(host, id));
  }
}

function open({ root, readOnly = false, overlay = false, memory = false, maxBytes, maxFiles, ...unknown }) {
  known(unknown, 'fileTools', OPTIONS);
  for (const [name, value] of Object.entries({ readOnly, overlay, memory })) {
    if (typeof value !== 'boolean') throw new TypeError(`option ${name} of fileTools must be true or false`);
  }
  for (const [name, value] of Object.entries({ maxBytes, maxFiles })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) throw new TypeError(`option ${name} of fileTools must be a whole number of at least 1`);
  }
  if (memory ? root !== undefined : typeof root !== 'string') {
    throw new TypeError(memory ? 'fileTools takes a root or memory, not both' : 'fileTools needs the root of the files, a path, or memory: true');
  }
  if (readOnly && (overlay || memory)) throw new TypeError('readOnly of fileTools does not go with overlay or memory, which change nothing outside');
  if (overlay && memory) throw new TypeError('fileTools takes overlay or memory, not both');
  if (!overlay && !memory && (maxBytes !== undefined || maxFiles !== undefined)) {
    throw new TypeError('maxBytes and maxFiles of fileTools are for overlay and memory');
  }
  const kind = memory ? 'memory' : overlay ? 'overlay' : readOnly ? 'read-only' : 'directory';
  return complain(() => new NativeFiles(kind, root, maxBytes, maxFiles));
}

/** Tools by their names. Sandboxes call them without a detour over Node's thread; the host calls them as functions. */
function gather(native) {
  const all = {};
  for (const { name, hidden, description, parameters, returns, positional } of JSON.parse(native.tools())) {
    const fn = (...args) => operate([], (id) => native.call(host, id, name, JSON.stringify(args)));
    Object.defineProperty(fn, 'name', { value: name, configurable: true });
    if (!hidden) fn[spec] = { description, parameters, returns, positional };
    fn[builtin] = { files: native, tool: name };
    all[name] = fn;
  }
  return all;
}

/** For the host itself lines are an iterator, and JSON is data. */
function forHost(tools) {
  const { readLines, readJson, ...rest } = tools;
  return {
    ...rest,
    async readJson(path) {
      return JSON.parse(await readJson(path));
    },
    async *readLines(path) {
      for (let page = await readLines(path); ; page = await readLines(page.next)) {
        yield* page.items;
        if (page.next === undefined) return;
      }
    },
  };
}

/** The tools on files, for `sendTools`. */
function fileTools(options) {
  return new Files(options).tools();
}

module.exports = { Files, fileTools };
