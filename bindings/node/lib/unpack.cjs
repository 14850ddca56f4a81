'use strict';
// Values from a sandbox on their way into Node. See pack.cjs.
//
// What is large comes as a parcel and is made in steps, so that the event loop can turn in between.

const op = require('./operations.cjs');
const { Collisions, Entries } = require('./entries.cjs');
const { RegExps } = require('./regexp.cjs');

const VIEWS = new Map([...op.VIEWS].map(([name, kind]) => [kind, globalThis[name]]));
const ERRORS = new Map(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]),
);

const NO_BYTES = new Uint8Array(0);

/** So many numbers of a row are one step. */
const STEP = 2048;
/** V8 tells longer strings apart by their length alone, so as keys they are compared one with another. */
const LONG_KEY = 16_383;
/** So many of them can be keys in one message. */
const MOST_LONG_KEYS = 64;

class Unpacker {
  at = 0;
  offset = 0;
  objects = [];
  /** Where things begin that are made in steps, in their order, and which is the next. */
  large = undefined;
  nextLarge = 0;
  pause = STEP;
  regexps = new RegExps();
  collisions = new Collisions();
  longKeys = 0;

  /** What cannot be made here is noted in `odd`, and stands as text where it should be. */
  constructor(row, strings, bytes, odd) {
    this.row = row;
    this.strings = strings;
    this.bytes = bytes;
    this.odd = odd;
  }

  next() {
    return this.row[this.at++];
  }

  string() {
    return this.strings[this.next()];
  }

  value() {
    const operation = this.next();
    switch (operation) {
      case op.UNDEFINED:
        return undefined;
      case op.NULL:
        return null;
      case op.FALSE:
        return false;
      case op.TRUE:
        return true;
      case op.NUMBER:
        return this.next();
      case op.STRING:
        return this.string();
      case op.BIGINT:
        return bigint(this.string());
      case op.ARRAY:
        return this.array();
      case op.OBJECT:
        return this.properties(this.begin({}));
      case op.REFERENCE:
        return this.objects[this.next()];
      default:
        return this.special(operation);
    }
  }

  begin(object) {
    this.objects.push(object);
    return object;
  }

  array() {
    const length = this.next();
    // Room is made as elements come: an array that begins with its full length is slower to fill.
    const array = this.begin([]);
    while (array.length < length) {
      if (this.row[this.at] === op.HOLES) {
        this.at += 1;
        array.length += this.next();
      } else {
        array.push(this.value());
      }
    }
    return array;
  }

  properties(object) {
    for (let left = this.next(); left > 0; left--) {
      const key = this.string();
      this.set(object, key, this.value());
    }
    return object;
  }

  set(object, key, value) {
    if (!this.isKey(key)) return;
    // Assigning to this key would give the object another prototype.
    if (key === '__proto__') define(object, key, value, true);
    else object[key] = value;
  }

  /** Whether something can be a key. */
  isKey(key) {
    if (typeof key !== 'string' || key.length <= LONG_KEY) return true;
    this.longKeys += 1;
    if (this.longKeys === MOST_LONG_KEYS + 1) {
      this.odd.push(`more than ${MOST_LONG_KEYS} keys with more than ${LONG_KEY} characters each cannot be made in Node`);
    }
    return this.longKeys <= MOST_LONG_KEYS;
  }

  special(operation) {
    switch (operation) {
      case op.DATE:
        return this.begin(new Date(this.next()));
      case op.REGEXP:
        return this.begin(this.regexp(this.string(), this.string()));
      case op.MAP: {
        const map = this.begin(new Map());
        const entries = this.entriesOf(map);
        for (let left = this.next(); left > 0; left--) {
          const key = this.value();
          entries.add(key, this.value());
        }
        return this.end(entries, map);
      }
      case op.SET: {
        const set = this.begin(new Set());
        const entries = this.entriesOf(set);
        for (let left = this.next(); left > 0; left--) entries.add(this.value());
        return this.end(entries, set);
      }
      case op.BUFFER: {
        const start = this.bytes.byteOffset + this.offset;
        const length = this.next();
        this.offset += length;
        return this.begin(this.bytes.buffer.slice(start, start + length));
      }
      case op.VIEW:
        return this.view();
      case op.ERROR:
        return this.error();
      case op.BOXED: {
        const slot = this.objects.push(undefined) - 1;
        return (this.objects[slot] = Object(this.value()));
      }
      default:
        throw new Error(`malformed packed value: operation ${operation}`);
    }
  }

  entriesOf(target) {
    const put = target instanceof Map ? (key, value) => target.set(key, value) : (value) => target.add(value);
    return new Entries((key, value) => {
      if (this.isKey(key)) put(key, value);
    }, this.collisions);
  }

  /** All entries are there: what `target` is to be, and what stands where it was to be. */
  end(entries, target) {
    entries.end();
    if (!entries.isGivenUp) return target;
    const printed = `[${target.constructor.name}]`;
    target.clear();
    this.odd.push(`a ${target.constructor.name} whose keys collide in V8 cannot be made in Node`);
    return printed;
  }

  view() {
    const slot = this.objects.push(undefined) - 1;
    const kind = this.next();
    const offset = this.next();
    const length = this.next();
    const buffer = this.value();
    if (!(buffer instanceof ArrayBuffer)) throw new TypeError('a view from the sandbox is not of a buffer');
    const View = VIEWS.get(kind);
    // Node before 24 has no Float16Array; the numbers are what matters.
    const view = View ? new View(buffer, offset, length) : halves(new DataView(buffer, offset, length * 2), length);
    return (this.objects[slot] = view);
  }

  regexp(source, flags) {
    try {
      return this.regexps.make(source, flags);
    } catch (error) {
      const printed = `/${source}/${flags}`;
      const short = printed.length > 100 ? `${printed.slice(0, 100)}…` : printed;
      this.odd.push(`the regular expression ${short} cannot be made in Node (${error.message})`);
      return printed;
    }
  }

  error() {
    const error = this.beginError();
    if (this.next() === 1) define(error, 'cause', this.value(), false);
    for (let left = this.next(); left > 0; left--) this.errorProperty(error, this.string(), this.value());
    return error;
  }

  beginError() {
    const name = this.string();
    const message = this.string();
    const stack = this.string();
    // Where it happened is inside; the place in here where it is copied says nothing, and takes V8 a while to tell.
    const limit = Error.stackTraceLimit;
    Reflect.set(Error, 'stackTraceLimit', 0);
    const error = this.begin(name === 'AggregateError' ? new AggregateError([], message) : new (ERRORS.get(name) ?? Error)(message));
    Reflect.set(Error, 'stackTraceLimit', limit);
    if (error.name !== name) define(error, 'name', name, false);
    // Of the sandbox's own stacks only the frames come; whoever prints an error prints its stack.
    const head = `${name}${message && `: ${message}`}`;
    define(error, 'stack', stack && !stack.startsWith('    at ') ? stack : stack ? `${head}\n${stack.trimEnd()}` : head, false);
    return error;
  }

  errorProperty(error, key, value) {
    if (!this.isKey(key)) return;
    define(error, key, value, key !== 'errors' || error.name !== 'AggregateError');
  }

  /** Whether a step is over. */
  isTime() {
    if (this.at < this.pause) return false;
    this.pause = this.at + STEP;
    return true;
  }

  /** Whether what begins here is made in steps. */
  isLarge() {
    if (this.large[this.nextLarge] !== this.at) return false;
    this.nextLarge += 1;
    return true;
  }

  /** The next value, in steps: it is large. */
  *inSteps() {
    const operation = this.next();
    switch (operation) {
      case op.ARRAY: {
        const length = this.next();
        const array = this.begin([]);
        while (array.length < length) {
          if (this.row[this.at] === op.HOLES) {
            this.at += 1;
            array.length += this.next();
            continue;
          }
          if (this.isTime()) yield;
          array.push(this.isLarge() ? yield* this.inSteps() : this.value());
        }
        return array;
      }
      case op.OBJECT: {
        const object = this.begin({});
        for (let left = this.next(); left > 0; left--) {
          if (this.isTime()) yield;
          const key = this.string();
          this.set(object, key, this.isLarge() ? yield* this.inSteps() : this.value());
        }
        return object;
      }
      case op.MAP: {
        const map = this.begin(new Map());
        const entries = this.entriesOf(map);
        for (let left = this.next(); left > 0; left--) {
          if (this.isTime()) yield;
          const key = this.isLarge() ? yield* this.inSteps() : this.value();
          if (entries.add(key, this.isLarge() ? yield* this.inSteps() : this.value())) yield;
        }
        return this.end(entries, map);
      }
      case op.SET: {
        const set = this.begin(new Set());
        const entries = this.entriesOf(set);
        for (let left = this.next(); left > 0; left--) {
          if (this.isTime()) yield;
          if (entries.add(this.isLarge() ? yield* this.inSteps() : this.value())) yield;
        }
        return this.end(entries, set);
      }
      case op.ERROR: {
        const error = this.beginError();
        if (this.next() === 1) define(error, 'cause', this.isLarge() ? yield* this.inSteps() : this.value(), false);
        for (let left = this.next(); left > 0; left--) {
          if (this.isTime()) yield;
          const key = this.string();
          this.errorProperty(error, key, this.isLarge() ? yield* this.inSteps() : this.value());
        }
        return error;
      }
      default:
        // Nothing else holds more than one value.
        return this.special(operation);
    }
  }
}

function define(object, key, value, enumerable) {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}

function bigint(digits) {
  if (typeof digits === 'bigint') return digits;
  return digits[0] === '-' ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
}

/** What each of the halves of a float stands for, once somebody asks. */
let singles;

function halves(data, length) {
  singles ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => single(bits));
  const numbers = new Float32Array(length);
  for (let i = 0; i < length; i++) numbers[i] = singles[data.getUint16(i * 2, true)];
  return numbers;
}

function single(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Puts the values in the pieces into `values`. What Node cannot make is told in `odd`. */
function unpack([count, row, strings, bytes = NO_BYTES], odd, values) {
  const unpacker = new Unpacker(row, strings, bytes, odd);
  for (let i = 0; i < count; i++) {
    unpacker.objects = [];
    values.push(unpacker.value());
  }
  return values;
}

/** Puts the values in a parcel into `values`, and yields between steps. */
function* unpackInSteps(parcel, odd, values) {
  const strings = [];
  for (let some = parcel.strings(); some.length > 0; some = parcel.strings()) {
    for (const one of some) strings.push(one);
    yield;
  }
  const unpacker = new Unpacker(parcel.row(), strings, parcel.bytes(), odd);
  unpacker.large = parcel.large().sort();
  for (let i = 0; i < parcel.count; i++) {
    unpacker.objects = [];
    if (unpacker.isTime()) yield;
    values.push(unpacker.isLarge() ? yield* unpacker.inSteps() : unpacker.value());
  }
}

module.exports = { unpack, unpackInSteps };
