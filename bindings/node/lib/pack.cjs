'use strict';
// Values of Node's on their way into a sandbox: copies, by the rules of structured clone.
//
// Walking a value from native code costs a Node-API call or two for every property. Here it is walked by JavaScript,
// into one row of numbers, one string and one run of bytes, which native code reads at the speed of memory.

const { types } = require('node:util');
const op = require('./operations.cjs');

/** As in hotcell-cell: deeper values do not cross. */
const MAX_DEPTH = 1000;
/** Larger ones are not written down in digits, which would take a while. */
const LARGE = 2n ** 4096n;
/** So many parts may one value have; each takes 32 bytes on the other side. */
const MAX_PARTS = 16_000_000;

const { getPrototypeOf, keys: keysOf } = Object;
const { isArray } = Array;
const typeName = Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const NO_BYTES = new Uint8Array(0);

/** Something is in a value that cannot cross. */
class Uncloneable extends TypeError {
  constructor(culprit, what) {
    super(what);
    this.culprit = culprit;
  }
}

class Packer {
  row = new Float64Array(64);
  length = 0;
  text = '';
  bytes = [];
  size = 0;
  /** Large numbers. */
  bigints = undefined;
  seen = undefined;
  depth = 0;
  /** Whether properties of errors that cannot cross are left out. */
  lenient = false;

  reset() {
    this.length = 0;
    this.text = '';
    if (this.size !== 0) {
      this.bytes = [];
      this.size = 0;
    }
    this.bigints = undefined;
    this.seen = undefined;
    this.depth = 0;
    this.lenient = false;
  }

  put(number) {
    if (this.length === this.row.length) this.grow();
    this.row[this.length++] = number;
  }

  grow() {
    if (this.length >= MAX_PARTS) {
      throw new RangeError(`the value has more than ${MAX_PARTS} parts and is too large to enter the sandbox`);
    }
    const row = new Float64Array(this.length * 2);
    row.set(this.row);
    this.row = row;
  }

  string(text) {
    this.put(text.length);
    this.text += text;
  }

  value(value) {
    switch (typeof value) {
      case 'string':
        this.put(op.STRING);
        this.string(value);
        return;
      case 'number':
        this.put(op.NUMBER);
        this.put(value);
        return;
      case 'boolean':
        this.put(value ? op.TRUE : op.FALSE);
        return;
      case 'undefined':
        this.put(op.UNDEFINED);
        return;
      case 'bigint':
        this.put(op.BIGINT);
        if (value < LARGE && value > -LARGE) {
          this.string(value.toString(16));
        } else {
          this.put(0);
          (this.bigints ??= []).push(value);
        }
        return;
      case 'object':
        if (value === null) this.put(op.NULL);
        else this.object(value);
        return;
      default:
        throw new Uncloneable(value, `a ${typeof value}`);
    }
  }

  object(object) {
    this.seen ??= new Map();
    const known = this.seen.get(object);
    if (known !== undefined) {
      this.put(op.REFERENCE);
      this.put(known);
      return;
    }
    this.seen.set(object, this.seen.size);
    if (this.depth === MAX_DEPTH) {
      throw new RangeError(`the value is nested more than ${MAX_DEPTH} levels deep and cannot enter the sandbox`);
    }
    this.depth += 1;
    // `types` looks at what an object is, so nobody can pretend; a proxy is turned away before any of its traps runs.
    if (types.isProxy(object)) throw new Uncloneable(object, 'a Proxy');
    if (isArray(object)) this.array(object);
    else if (getPrototypeOf(object) === Object.prototype) this.plain(object);
    else this.special(object);
    this.depth -= 1;
  }

  array(array) {
    const { length } = array;
    if (length > MAX_PARTS) {
      throw new RangeError(`an array of length ${length} is too large to enter the sandbox`);
    }
    this.put(op.ARRAY);
    this.put(length);
    let holes = 0;
    for (let i = 0; i < length; i++) {
      const element = array[i];
      if (element === undefined && !Object.hasOwn(array, i)) {
        holes += 1;
        continue;
      }
      if (holes > 0) this.holes(holes);
      holes = 0;
      this.value(element);
    }
    if (holes > 0) this.holes(holes);
  }

  holes(count) {
    this.put(op.HOLES);
    this.put(count);
  }

  plain(object) {
    this.put(op.OBJECT);
    this.properties(object, keysOf(object));
  }

  properties(object, keys) {
    this.put(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const value = object[key];
      this.string(key);
      this.value(value);
    }
  }

  /** Everything that is not an array and not an object literal. */
  special(object) {
    if (types.isDate(object)) {
      this.put(op.DATE);
      this.put(Date.prototype.getTime.call(object));
    } else if (types.isMap(object)) {
      const entries = [...Map.prototype.entries.call(object)];
      this.put(op.MAP);
      this.put(entries.length);
      for (const [key, value] of entries) {
        this.value(key);
        this.value(value);
      }
    } else if (types.isSet(object)) {
      const values = [...Set.prototype.values.call(object)];
      this.put(op.SET);
      this.put(values.length);
      for (const value of values) this.value(value);
    } else if (types.isRegExp(object)) {
      this.put(op.REGEXP);
      this.string(String(object.source));
      this.string(String(object.flags));
    } else if (types.isNativeError(object) || object instanceof Error) {
      this.error(object);
    } else if (ArrayBuffer.isView(object)) {
      this.view(object);
    } else if (types.isArrayBuffer(object)) {
      this.buffer(new Uint8Array(object));
    } else if (types.isBoxedPrimitive(object)) {
      const primitive = object.valueOf();
      if (typeof primitive === 'symbol' || typeof primitive === 'object') throw new Uncloneable(object, 'a boxed symbol');
      this.put(op.BOXED);
      this.value(primitive);
    } else if (isUncloneable(object)) {
      throw new Uncloneable(object, describe(object));
    } else {
      // An instance of a class: what it holds, as structured clone does it.
      this.plain(object);
    }
  }

  buffer(bytes) {
    this.put(op.BUFFER);
    this.put(bytes.length);
    this.bytes.push(bytes);
    this.size += bytes.length;
  }

  view(view) {
    if (types.isSharedArrayBuffer(view.buffer)) throw new Uncloneable(view, 'a view of shared memory');
    const name = types.isDataView(view) ? 'DataView' : typeName.call(view);
    const kind = op.VIEWS.get(name);
    if (kind === undefined) throw new Uncloneable(view, `a ${name}`);
    this.put(op.VIEW);
    this.put(kind);
    if (Buffer.isBuffer(view)) {
      // Many small buffers share one memory. What lies beside this one is not the sandbox's business.
      this.put(0);
      this.put(view.length);
      this.seen.set(Symbol('the part of the memory that is shown'), this.seen.size);
      this.buffer(view);
      return;
    }
    this.put(view.byteOffset);
    this.put(name === 'DataView' ? view.byteLength : view.length);
    this.object(view.buffer);
  }

  /** Stacks stay outside: they tell about the host's files. */
  error(error) {
    this.put(op.ERROR);
    this.string(textOf(error.name, 'Error'));
    this.string(textOf(error.message, ''));
    this.string('');
    if (Object.hasOwn(error, 'cause') && (!this.lenient || this.crosses(error.cause))) {
      this.put(1);
      this.value(error.cause);
    } else {
      this.put(0);
    }
    let keys = keysOf(error).filter((key) => key !== 'name' && key !== 'message' && key !== 'stack' && key !== 'cause');
    if (Array.isArray(error.errors) && !keys.includes('errors')) keys.push('errors');
    if (this.lenient) keys = keys.filter((key) => this.crosses(error[key]));
    this.properties(error, keys);
  }

  /** Tries it out, and leaves no trace. */
  crosses(value) {
    const { length, text, size, depth } = this;
    const bytes = this.bytes.length;
    const bigints = this.bigints?.slice();
    const seen = new Map(this.seen);
    try {
      this.value(value);
      return true;
    } catch {
      return false;
    } finally {
      this.length = length;
      this.text = text;
      this.size = size;
      this.depth = depth;
      this.bytes.length = bytes;
      this.bigints = bigints;
      this.seen = seen;
    }
  }

  /** Only this many numbers of the row count; it is used again for the next value. */
  pieces() {
    return { row: this.row.subarray(0, this.length), text: this.text, bytes: join(this.bytes, this.size), bigints: this.bigints };
  }
}

function join(parts, size) {
  if (size === 0) return NO_BYTES;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function textOf(text, otherwise) {
  return typeof text === 'string' ? text : text === undefined ? otherwise : String(text);
}

function isUncloneable(object) {
  return (
    types.isPromise(object) ||
    types.isWeakMap(object) ||
    types.isWeakSet(object) ||
    types.isSharedArrayBuffer(object) ||
    types.isExternal(object) ||
    types.isGeneratorObject(object) ||
    object instanceof WeakRef
  );
}

function describe(object) {
  if (types.isPromise(object)) return 'a promise';
  if (types.isSharedArrayBuffer(object)) return 'shared memory';
  const name = Object.prototype.toString.call(object).slice(8, -1);
  return `a ${name}`;
}

const CURE = new Map([
  ['a function', 'send functions with sendTools'],
  ['a promise', 'await it first'],
  ['a Proxy', 'pass a plain copy of what it stands for'],
]);

/** The way to `culprit`, as one would write it in code; undefined if it is not found again. */
function find(culprit, root, name) {
  const seen = new Set();
  const walk = (value, path, depth) => {
    if (value === culprit) return path;
    if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_DEPTH || types.isProxy(value)) return undefined;
    seen.add(value);
    if (types.isMap(value) || types.isSet(value)) {
      let index = 0;
      for (const item of value) {
        const found = walk(item, `${path}.${types.isMap(value) ? 'entries' : 'values'}()[${index++}]`, depth + 1);
        if (found !== undefined) return found;
      }
    }
    const extra = value instanceof Error ? ['cause', 'errors'] : [];
    for (const key of [...extra, ...keysOf(value)]) {
      const step = isArray(value) ? `[${key}]` : /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
      const found = walk(value[key], path + step, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  try {
    return walk(root, name, 0);
  } catch {
    return undefined;
  }
}

const shared = new Packer();
let busy = false;

/** Lends a packer to `fill`, and what it packed to `use`. A getter may get here again while one is at work. */
function withPacker(fill, use) {
  const packer = busy ? new Packer() : shared;
  const mine = packer === shared;
  if (mine) busy = true;
  try {
    packer.reset();
    fill(packer);
    const { row, text, bytes, bigints } = packer.pieces();
    return use(row, text, bytes, bigints);
  } finally {
    if (mine) {
      busy = false;
      packer.reset();
      // One large value must not keep its memory for good.
      if (packer.row.length > 65536) packer.row = new Float64Array(64);
    }
  }
}

/**
 * Packs each of `values`, which are called by `names`, and gives the pieces to `use`. The pieces are only good until it
 * returns.
 */
function pack(values, names, use) {
  return withPacker((packer) => {
    for (let i = 0; i < values.length; i++) {
      packer.seen = undefined;
      packer.depth = 0;
      try {
        packer.value(values[i]);
      } catch (error) {
        if (!(error instanceof Uncloneable)) throw error;
        const place = find(error.culprit, values[i], names[i]) ?? names[i];
        const cure = CURE.get(error.message);
        throw new TypeError(`${place} is ${error.message} and cannot enter the sandbox${cure ? `: ${cure}` : ''}`);
      }
    }
  }, use);
}

/** Packs what a tool threw: an error, whatever it was. What of it cannot cross is left out. */
function packThrown(thrown, use) {
  let error = thrown;
  if (!types.isNativeError(thrown) && !(thrown instanceof Error)) {
    error = new Error(typeof thrown === 'string' ? thrown : `the tool threw ${inspect(thrown)}`);
  }
  const attempt = (error) =>
    withPacker((packer) => {
      packer.lenient = true;
      packer.value(error);
    }, use);
  try {
    return attempt(error);
  } catch {
    return attempt(new Error('the tool failed with an error that cannot be read'));
  }
}

function inspect(value) {
  try {
    return require('node:util').inspect(value, { depth: 1, breakLength: Infinity });
  } catch {
    return 'something that cannot be printed';
  }
}

module.exports = { pack, packThrown };
