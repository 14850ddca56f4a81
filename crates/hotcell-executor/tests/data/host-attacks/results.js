//// run: nested as deep as may be => ok
let o = {}; for (let i = 0; i < 995; i++) o = { o }; o
//// run: nested too deep => *
let o = {}; for (let i = 0; i < 1e5; i++) o = [o]; o
//// run: a million numbers => *
Array.from({ length: 1e6 }, (_, i) => i)
//// run: as many numbers as may be => *
Array.from({ length: 200000 }, (_, i) => i / 7)
//// run: as many texts as may be => *
Array.from({ length: 100000 }, (_, i) => 'text ' + i)
//// run: as many objects as may be => *
Array.from({ length: 40000 }, (_, i) => ({ a: i, b: 'x' }))
//// run: objects without a key in common => *
Array.from({ length: 40000 }, (_, i) => ({ ['k' + i]: i }))
//// run: an object of many keys => *
Object.fromEntries(Array.from({ length: 60000 }, (_, i) => ['key' + i, i]))
//// run: an object of whole numbers as keys => *
Object.fromEntries(Array.from({ length: 60000 }, (_, i) => [i * 4000000 % 4294967291, i]))
//// run: an object of long keys => *
Object.fromEntries(Array.from({ length: 70 }, (_, i) => ['k'.repeat(1e5) + i, i]))
//// run: a text of 7 MB => ok
'x'.repeat(7e6)
//// run: a text of 30 MB => *
'x'.repeat(3e7)
//// run: a text that is not ASCII => *
'é'.repeat(3e6)
//// run: a text of halves of characters => *
'\udc00'.repeat(3e6)
//// run: a cycle => ok
const o = {}; o.o = o; o
//// run: cycles without end => *
const all = []; for (let i = 0; i < 60000; i++) all.push({ all, last: all[i - 1] }); all
//// run: the same object many times => *
const o = {}; Array(250000).fill(o)
//// run: a graph of two ways at each step => ok
let o = {}; for (let i = 0; i < 500; i++) o = { a: o, b: o }; o
//// run: one BigInt => *
2n ** 30000000n
//// run: many BigInts => *
const big = 2n ** 1000000n; Array.from({ length: 60 }, (_, i) => big + BigInt(i))
//// run: ever so many BigInts => *
Array.from({ length: 100000 }, (_, i) => 2n ** 64n + BigInt(i))
//// run: one BigInt as long as may be => *
-(3n ** 5000000n)
//// run: bytes, 7 MB => ok timeout
new Uint8Array(7e6).fill(1)
//// run: bytes, 40 MB => *
new Uint8Array(4e7)
//// run: views of the same bytes => *
const b = new ArrayBuffer(1e6); Array.from({ length: 50000 }, (_, i) => new Uint8Array(b, i))
//// run: bytes in pieces => *
Array.from({ length: 50000 }, () => new Uint8Array(10))
//// run: floats => *
[new Float64Array(5e5), new Float32Array(5e5), new Float16Array(5e5), new BigInt64Array(1e5)]
//// run: a buffer that can grow => *
const b = new ArrayBuffer(8, { maxByteLength: 1 << 25 }); b.resize(7e6); b
//// run: a view of a buffer that shrank => *
const b = new ArrayBuffer(100, { maxByteLength: 100 }); const v = new Uint8Array(b, 50, 50); b.resize(10); [v, b]
//// run: a map of maps => *
let m = new Map(); for (let i = 0; i < 400; i++) m = new Map([[m, m]]); m
//// run: a large map => *
new Map(Array.from({ length: 80000 }, (_, i) => [i, 'v' + i]))
//// run: a large map of objects as keys => *
new Map(Array.from({ length: 40000 }, (_, i) => [{ i }, new Set([i])]))
//// run: a large set => *
new Set(Array.from({ length: 150000 }, (_, i) => 's' + i))
//// run: errors => *
Array.from({ length: 20000 }, (_, i) => new Error('e' + i))
//// run: errors with causes => *
let e = new Error('x'); for (let i = 0; i < 400; i++) e = new Error('y', { cause: { e } }); e
//// run: errors with stacks of their own => *
Array.from({ length: 60 }, () => Object.defineProperty(new Error('x'), 'stack', { value: 'run-1.js:1:1 '.repeat(8000) }))
//// run: times that are none => ok
[new Date(NaN), new Date(8.64e15), new Date(-8.64e15)]
//// run: times => *
Array.from({ length: 100000 }, (_, i) => new Date(i * 1e6))
//// run: a regular expression that Node has not => ok
/(?i:a)/
//// run: a regular expression that Node has not, inside => ok
({ a: [1, /(?-i:a)/i], b: new Map([[/(?s:.)/, 1]]) })
//// run: regular expressions => *
Array.from({ length: 30000 }, (_, i) => new RegExp('a{' + (i % 1000) + '}', 'g'))
//// run: a large regular expression => *
new RegExp('(?:a|b)'.repeat(100000))
//// run: a regular expression that takes long to read => *
new RegExp('(?<a' + 'b'.repeat(100000) + '>x)|'.repeat(20) + 'x')
//// run: an array of holes => *
Array(4294967295)
//// run: an array of holes with something at its end => *
const a = []; a[4000000000] = 1; a
//// run: an array of ten million holes => *
Array(1e7)
//// run: arrays of holes => *
Array.from({ length: 1000 }, () => Array(1e6))
//// run: every other one a hole => *
const a = []; for (let i = 0; i < 100000; i++) a[i * 2] = 1; a
//// run: objects around primitives => *
Array.from({ length: 60000 }, (_, i) => Object(i))
//// run: an object around a text => *
Object('x'.repeat(3e6))
//// run: a function => ok
() => 1
//// run: something that cannot leave beside much that could => *
const all = Array.from({ length: 100000 }, (_, i) => ({ i })); all.push(() => 1); all
//// run: something that cannot leave and prints long => *
const o = { f() { } }; for (let i = 0; i < 10000; i++) o['k' + i] = 'x'.repeat(100); o
//// run: something that cannot leave and prints deep => *
const f = () => 1; let o = { f }; for (let i = 0; i < 900; i++) o = { o, f }; o
//// run: the whole realm => *
globalThis
//// run: a promise that waits for promises => *
let p = Promise.resolve(1); for (let i = 0; i < 50000; i++) p = Promise.resolve().then(() => p); [p]
//// run: what JSON makes => *
JSON.parse('[' + '{"a":1},'.repeat(40000) + '1]')
//// run: JSON as text => *
JSON.stringify(Array.from({ length: 100000 }, (_, i) => ({ i })))
//// run: keys that are prototypes => *
JSON.parse('{' + Array.from({ length: 30000 }, (_, i) => `"__proto__${i}":1`).join() + ',"__proto__":{"x":1}}')
//// run: values of a generator => *
(function* () { yield 1 })()
//// run: instances of a class => *
class A { #x = 1; y = 2 } Array.from({ length: 60000 }, () => new A())
//// run: a Set of BigInts that V8 hashes alike => *
new Set(Array.from({ length: 60000 }, (_, i) => (BigInt(i) << 64n) + 1n))
//// run: a Map of BigInts that V8 hashes alike => *
new Map(Array.from({ length: 60000 }, (_, i) => [(BigInt(i) << 64n) + 1n, i]))
//// run: several Sets of BigInts that V8 hashes alike => *
Array.from({ length: 30 }, (_, j) => new Set(Array.from({ length: 1500 }, (_, i) => (BigInt(i) << 64n) + BigInt(j))))
//// run: a Set of whole numbers that V8 hashes alike => *
const inverse = (n) => { let x = n; for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(n, x)); return x; };
const [by5, by2057, by32767] = [inverse(5), inverse(2057), inverse(32767)];
const unshift = (x, n) => { let y = x; for (let i = 0; i < 32; i += n) y = x ^ (y >>> n); return y; };
const key = (hash) => {
  let x = unshift(hash, 16);
  x = unshift(Math.imul(x, by2057), 4);
  x = unshift(Math.imul(x, by5), 12);
  return Math.imul(x + 1, by32767);
};
const set = new Set(); for (let i = 0; i < 60000; i++) set.add(key(i << 16)); set
//// run: a regular expression of all emojis => *
new RegExp('[\\p{RGI_Emoji}]'.repeat(60), 'iv')
//// run: regular expressions of all emojis => *
Array.from({ length: 100 }, (_, i) => new RegExp('[\\p{RGI_Emoji}]' + i, 'iv'))
//// run: regular expressions that are long => *
Array.from({ length: 300 }, (_, i) => new RegExp('[^\\W]'.repeat(200) + i, 'iv'))
//// run: regular expressions with many groups => *
Array.from({ length: 300 }, (_, i) => new RegExp('(a)'.repeat(5000) + i))
//// run: a Set of keys that collide and keys that do not => *
const list = []; for (let i = 0; i < 40000; i++) list.push(i % 512 < 384 ? (BigInt(i) << 64n) + 1n : 's' + i); new Set(list)
//// run: an object of long keys that differ at their end => *
const b = 'x'.repeat(16382), o = {}; for (let i = 0; i < 500; i++) o[b + String(i).padStart(8, '0')] = 1; o
//// run: a Map of long keys that differ at their end => *
const b = 'x'.repeat(16382), m = new Map(); for (let i = 0; i < 500; i++) m.set(b + String(i).padStart(8, '0'), 1); m
//// run: halves of floats => *
new Float16Array(3e6)
//// run: a class of many classes without case => *
new RegExp('[' + '\\w'.repeat(9000) + ']', 'ui')
//// run: an error with a property that JSON makes long => *
const e = new Error('x'); e.a = '\u0001'.repeat(7e6); throw e
//// run: the same in a cell that is full => *
globalThis.kept = new Uint8Array(30e6).fill(1); const e = new Error('x'); e.a = '\u0001'.repeat(7e6); throw e
//// run: a result that JSON makes long, of a cell that is full => *
globalThis.kept = new Uint8Array(30e6).fill(1); '\u0001'.repeat(8e6)
