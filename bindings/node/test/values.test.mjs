// Values cross by the rules of structured clone, in every direction.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SESExecutor } from 'hotcell';

let executor;
before(async () => {
  executor = new SESExecutor({ maxResultBytes: 64 << 20, memoryLimitBytes: 512 << 20, maxOperations: 1e9 });
  await executor.init();
  await executor.sendTools({ echo: (value) => value, echoLater: async (value) => value });
});

/** In as a variable, out as a result, and through a tool in between. */
async function roundTrip(value) {
  await executor.sendVariables({ value });
  const { output } = await executor.run('[value, echo(value), await echoLater(value)]');
  return output;
}

const views = [Uint8ClampedArray, Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array];
const cases = {
  undefined: undefined,
  null: null,
  booleans: [true, false],
  numbers: [0, -0, 1, -1, 0.1, 2 ** 31, -(2 ** 31), 2 ** 53, 1e308, 5e-324, NaN, Infinity, -Infinity],
  bigints: [0n, 1n, -1n, 2n ** 64n, -(2n ** 200n), 0x123456789abcdef0n],
  strings: ['', 'ascii', 'é', '日本語', '😀', '\u0000', 'x'.repeat(100_000), 'é'.repeat(100_000)],
  'lone surrogates': ['\ud800', 'a\udc00b', '\ud800\ud800'],
  holes: [, 1, , 3, ,],
  'an array of holes': new Array(5),
  nested: { a: [{ b: { c: [[], {}] } }] },
  'odd keys': { '': 1, 'a b': 2, 1: 3, 'é': 4, '\ud800': 5, constructor: 6, toString: 7 },
  'a key that is a prototype elsewhere': JSON.parse('{"__proto__": {"x": 1}}'),
  dates: [new Date(0), new Date(8.64e15), new Date(-1)],
  'regular expressions': [/a/gi, /[/\]\n]/, /(?<y>\d{4})/u],
  maps: new Map([['a', 1], [{ k: 1 }, new Map([[NaN, -0]])]]),
  sets: new Set([1, 'a', { x: 1 }, [1]]),
  buffers: [new ArrayBuffer(0), Uint8Array.of(1, 2, 3).buffer],
  views: views.map((View) => View.of(1, 2, 250)),
  'big views': [BigInt64Array.of(-1n), BigUint64Array.of(2n ** 64n - 1n)],
  'a view of a part': new Uint16Array(Uint8Array.from({ length: 10 }, (_, i) => i).buffer, 2, 3),
  'a data view': new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2),
  boxed: [Object(1), Object('text'), Object(true), Object(1n)],
};

for (const [name, value] of Object.entries(cases)) {
  test(`${name} cross both ways`, async () => {
    for (const copy of await roundTrip(value)) assert.deepStrictEqual(copy, value);
  });
}

/** Values that chance makes, always the same ones: trees with shared parts in them. */
function* randomValues(count, seed) {
  const random = (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const text = () => String.fromCharCode(...Array.from({ length: random(6) }, () => random(random(2) ? 0x80 : 0x10000)));
  for (let i = 0; i < count; i++) {
    const made = [];
    const value = (depth) => {
      const kind = random(depth > 0 ? 16 : 9);
      const many = (one) => Array.from({ length: random(5) }, () => one());
      const object = (shell, fill) => (made.push(shell), fill(shell), shell);
      switch (kind) {
        case 0: return undefined;
        case 1: return null;
        case 2: return random(2) === 1;
        case 3: return random(2) ? random(1000) - 500 : (random(2 ** 32) - 2 ** 31) / 7;
        case 4: return BigInt(random(2 ** 32)) ** BigInt(random(5)) * (random(2) ? 1n : -1n);
        case 5: return text();
        case 6: return new Date(random(2 ** 32));
        case 7: return Uint8Array.from(many(() => random(256)));
        case 8: return made.length > 0 ? made[random(made.length)] : text();
        case 9: case 10: return object([], (array) => many(() => (random(5) ? array.push(value(depth - 1)) : (array.length += 1))));
        case 11: case 12: case 13: return object({}, (shell) => many(() => (shell[text()] = value(depth - 1))));
        case 14: return object(new Map(), (map) => many(() => map.set(value(depth - 1), value(depth - 1))));
        default: return object(new Set(), (set) => many(() => set.add(value(depth - 1))));
      }
    };
    yield value(5);
  }
}

test('values that chance makes cross both ways', async () => {
  for (const value of randomValues(500, 42)) {
    // The clone is the measure: it has lost what structured clone loses.
    const expected = structuredClone(value);
    for (const copy of await roundTrip(value)) assert.deepStrictEqual(copy, expected);
  }
});

test('minus zero keeps its sign', async () => {
  for (const copy of await roundTrip({ zero: -0 })) assert.ok(Object.is(copy.zero, -0));
});

test('a date that is none stays none', async () => {
  for (const copy of await roundTrip(new Date(NaN))) assert.ok(copy instanceof Date && Number.isNaN(copy.getTime()));
});

test('a copy is a copy', async () => {
  const value = { list: [1] };
  for (const copy of await roundTrip(value)) {
    assert.notEqual(copy.list, value.list);
    copy.list.push(2);
    assert.deepEqual(Object.getPrototypeOf(copy), Object.prototype);
  }
  assert.deepEqual(value, { list: [1] });
});

test('what a prototype would be set by is a property', async () => {
  const { output } = await executor.run('JSON.parse(`{"__proto__": {"polluted": true}}`)');
  assert.equal(output.polluted, undefined);
  assert.deepEqual(Object.keys(output), ['__proto__']);
});

test('errors cross with name, message, cause and properties', async () => {
  const error = Object.assign(new TypeError('wrong', { cause: new Error('deep') }), { code: 'E', list: [1] });
  for (const copy of await roundTrip(error)) {
    assert.ok(copy instanceof TypeError);
    assert.deepEqual([copy.name, copy.message, copy.code, copy.list, copy.cause.message], ['TypeError', 'wrong', 'E', [1], 'deep']);
    assert.equal(Object.keys(copy).includes('cause'), false);
  }
  const [custom] = await roundTrip(Object.assign(new Error('m'), { name: 'CustomError' }));
  assert.deepEqual([custom.name, custom.message, custom instanceof Error], ['CustomError', 'm', true]);
  const [several] = await roundTrip(new AggregateError([new Error('one'), 2], 'all'));
  assert.ok(several instanceof AggregateError);
  assert.deepEqual([several.message, several.errors[0].message, several.errors[1]], ['all', 'one', 2]);
});

test('an error from inside has the stack of inside', async () => {
  const { output } = await executor.run('function f() { return new RangeError("here") }\nf()', { name: 'inside.js' });
  assert.ok(output instanceof RangeError);
  assert.match(output.stack, /inside\.js/);
  assert.doesNotMatch(output.stack, /unpack/);
});

test('cycles and shared parts stay what they are', async () => {
  const shared = { n: 1 };
  const value = { a: shared, b: shared, list: [shared], map: new Map([[shared, shared]]), set: new Set([shared]) };
  value.self = value;
  value.list.push(value.list);
  value.map.set('map', value.map);
  value.error = Object.assign(new Error('e', { cause: value }), { shared });
  for (const copy of await roundTrip(value)) {
    assert.equal(copy.self, copy);
    assert.equal(copy.a, copy.b);
    assert.equal(copy.list[0], copy.a);
    assert.equal(copy.list[1], copy.list);
    assert.equal(copy.map.get(copy.a), copy.a);
    assert.equal(copy.map.get('map'), copy.map);
    assert.ok(copy.set.has(copy.a));
    assert.equal(copy.error.cause, copy);
    assert.equal(copy.error.shared, copy.a);
  }
});

test('views of one buffer stay views of one buffer', async () => {
  const { buffer } = Uint8Array.of(1, 2, 3, 4);
  const value = { buffer, bytes: new Uint8Array(buffer), words: new Uint16Array(buffer, 2, 1), data: new DataView(buffer) };
  for (const copy of await roundTrip(value)) {
    assert.equal(copy.bytes.buffer, copy.buffer);
    assert.equal(copy.words.buffer, copy.buffer);
    assert.equal(copy.data.buffer, copy.buffer);
    assert.deepEqual([...copy.words], [0x0403]);
  }
});

test('each argument of a tool has its own parts', async () => {
  const seen = [];
  await executor.sendTools({ take: (...args) => void seen.push(args) });
  await executor.run('const o = { a: [] }; o.o = o; take(o, o, [o, o.a], undefined, new Date(5))');
  const [[first, second, third, nothing, date]] = seen;
  assert.equal(first.o, first);
  assert.equal(second.o, second);
  assert.notEqual(first, second);
  assert.equal(third[1], third[0].a);
  assert.equal(nothing, undefined);
  assert.equal(date.getTime(), 5);
});

test('a Buffer crosses without the memory around it', async () => {
  const secret = Buffer.from('secret');
  const shown = Buffer.from('shown');
  assert.equal(secret.buffer, shown.buffer, 'they share one memory');
  await executor.sendVariables({ shown, twice: [shown, shown] });
  const { output } = await executor.run('[shown instanceof Uint8Array, shown.buffer.byteLength, shown, twice[0] === twice[1]]');
  assert.deepEqual(output, [true, 5, Uint8Array.from(shown), true]);
});

test('an instance of a class crosses as what it holds', async () => {
  class Point {
    #hidden = 1;
    x = 1;
    get y() {
      return 2;
    }
  }
  for (const copy of await roundTrip(new Point())) assert.deepEqual(copy, { x: 1 });
  for (const copy of await roundTrip(Object.create(null, { a: { value: 1, enumerable: true } }))) assert.deepEqual(copy, { a: 1 });
  for (const copy of await roundTrip({ get now() { return 'then'; }, [Symbol('s')]: 1 })) assert.deepEqual(copy, { now: 'then' });
});

const uncloneable = {
  'value.f is a function and cannot enter the sandbox: send functions with sendTools': { f() {} },
  'value is a symbol and cannot enter the sandbox': Symbol('s'),
  'value.list[2] is a promise and cannot enter the sandbox: await it first': { list: [1, 2, Promise.resolve()] },
  'value.proxy is a Proxy and cannot enter the sandbox: pass a plain copy of what it stands for': { proxy: new Proxy({}, {}) },
  'value["a b"] is a WeakMap and cannot enter the sandbox': { 'a b': new WeakMap() },
  'value is a WeakSet and cannot enter the sandbox': new WeakSet(),
  'value is shared memory and cannot enter the sandbox': new SharedArrayBuffer(1),
  'value[0] is a view of shared memory and cannot enter the sandbox': [new Uint8Array(new SharedArrayBuffer(1))],
  'value.entries()[0][1] is a function and cannot enter the sandbox: send functions with sendTools': new Map([['k', () => {}]]),
};

test('what cannot cross is refused with the place where it is', async () => {
  for (const [message, value] of Object.entries(uncloneable)) {
    await assert.rejects(executor.sendVariables({ value }), { name: 'TypeError', message });
  }
  assert.equal(executor.state, 'READY');
});

test('hostile objects do no harm', async () => {
  const thrower = {
    get x() {
      throw new Error('getter');
    },
  };
  await assert.rejects(executor.sendVariables({ value: thrower }), /getter/);
  let deep = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  await assert.rejects(executor.sendVariables({ value: deep }), /nested more than 1000 levels/);
  const endless = {
    get next() {
      return Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    },
  };
  Object.defineProperty(endless, 'next', { enumerable: true });
  await assert.rejects(executor.sendVariables({ value: endless }), /nested more than 1000 levels/);
  await assert.rejects(executor.sendVariables({ value: new Array(2 ** 32 - 1) }), /too large/);
  const shrinking = [1, 2, 3, { get x() { shrinking.length = 0; return 1; } }, 5, 6];
  await executor.sendVariables({ value: shrinking });
  // A getter that sends something itself.
  const reentrant = {
    before: 'b',
    get inner() {
      return executor.sendVariables({ inner: { a: ['in', 'ner'] } }).then, 'done';
    },
    after: ['a'],
  };
  await executor.sendVariables({ value: reentrant });
  assert.deepEqual((await executor.run('[value, inner]')).output, [{ before: 'b', inner: 'done', after: ['a'] }, { a: ['in', 'ner'] }]);
});

test('values as deep as may be cross', async () => {
  let deep = [];
  for (let i = 1; i < 990; i++) deep = [deep];
  await executor.sendVariables({ deep });
  const { output } = await executor.run('deep');
  let depth = 0;
  for (let at = output; at !== undefined; at = at[0]) depth += 1;
  assert.equal(depth, 990);
});

test('what cannot leave arrives as its printed form, with a warning', async () => {
  const { output, diagnostics } = await executor.run('({ f() {} })');
  assert.equal(typeof output, 'string');
  assert.ok(diagnostics.some(({ severity }) => severity === 'WARNING'));
});

test('large values cross whole', async () => {
  const value = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `item ${i}`, tags: ['a', 'b'], price: i / 3 }));
  await executor.sendVariables({ value });
  assert.deepEqual((await executor.run('value')).output, value);
  const bytes = new Uint8Array(4 << 20).fill(7);
  await executor.sendVariables({ bytes });
  assert.deepEqual((await executor.run('bytes')).output, bytes);
});

test('variables arrive frozen', async () => {
  await executor.sendVariables({ frozen: { list: [1] } });
  assert.deepEqual((await executor.run('[Object.isFrozen(frozen), Object.isFrozen(frozen.list)]')).output, [true, true]);
});
