'use strict';
// Values from a sandbox on their way into Node. See pack.cjs.

const op = require('./operations.cjs');

const VIEWS = new Map([...op.VIEWS].map(([name, kind]) => [kind, globalThis[name]]));
const ERRORS = new Map(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]),
);

const NO_BYTES = new Uint8Array(0);

class Unpacker {
  at = 0;
  offset = 0;
  objects = [];

  constructor(row, strings, bytes) {
    this.row = row;
    this.strings = strings;
    this.bytes = bytes;
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

  properties(object, enumerable = true) {
    for (let left = this.next(); left > 0; left--) {
      const key = this.string();
      // Assigning to this key would give the object another prototype.
      if (key === '__proto__') define(object, key, this.value(), enumerable);
      else object[key] = this.value();
    }
    return object;
  }

  special(operation) {
    switch (operation) {
      case op.DATE:
        return this.begin(new Date(this.next()));
      case op.REGEXP:
        return this.begin(new RegExp(this.string(), this.string()));
      case op.MAP: {
        const map = this.begin(new Map());
        for (let left = this.next(); left > 0; left--) {
          const key = this.value();
          map.set(key, this.value());
        }
        return map;
      }
      case op.SET: {
        const set = this.begin(new Set());
        for (let left = this.next(); left > 0; left--) set.add(this.value());
        return set;
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

  error() {
    const name = this.string();
    const message = this.string();
    const stack = this.string();
    const error = this.begin(name === 'AggregateError' ? new AggregateError([], message) : new (ERRORS.get(name) ?? Error)(message));
    if (error.name !== name) define(error, 'name', name, false);
    // Where it happened is inside; the place in here where it was copied says nothing.
    define(error, 'stack', stack || `${name}${message && `: ${message}`}`, false);
    if (this.next() === 1) define(error, 'cause', this.value(), false);
    for (let left = this.next(); left > 0; left--) {
      const key = this.string();
      define(error, key, this.value(), key !== 'errors' || name !== 'AggregateError');
    }
    return error;
  }
}

function define(object, key, value, enumerable) {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}

function bigint(digits) {
  return digits[0] === '-' ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
}

function halves(data, length) {
  return Float32Array.from({ length }, (_, i) => {
    const bits = data.getUint16(i * 2, true);
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/** The values in the pieces. */
function unpack([count, row, strings, bytes = NO_BYTES]) {
  const unpacker = new Unpacker(row, strings, bytes);
  const values = [];
  for (let i = 0; i < count; i++) {
    unpacker.objects = [];
    values.push(unpacker.value());
  }
  return values;
}

module.exports = { unpack };
