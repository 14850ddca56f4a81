//// run: a getter that adds keys => *
const o = { get a() { for (let i = 0; i < 1000; i++) o['k' + Object.keys(o).length] = o; return 1 } }; o
//// run: a getter that removes keys => *
const o = { get a() { for (let i = 0; i < 1000; i++) delete o['k' + i]; return 1 } }; for (let i = 0; i < 1000; i++) o['k' + i] = i; o
//// run: a getter that never returns => timeout
({ get a() { for (;;); } })
//// run: a getter that makes getters => *
const make = () => ({ get a() { return make() } }); make()
//// run: a getter that gives large texts => *
const o = {}; for (let i = 0; i < 1000; i++) Object.defineProperty(o, 'k' + i, { enumerable: true, get: () => 'x'.repeat(1e6) }); o
//// run: a getter that prints => *
({ get a() { for (;;) console.log('x'.repeat(1000)) } })
//// run: a getter that ends the run => ok
({ get a() { return final_answer(1) } })
//// run: a getter that evaluates => *
({ get a() { return eval('/"[";'.repeat(200000)) } })
//// run: a getter that throws => *
[{ get a() { throw new Error('x'.repeat(1e6)) } }]
//// run: an array that shrinks as it is read => *
const a = Array.from({ length: 1000 }, (_, i) => i); Object.defineProperty(a, 5, { get() { a.length = 6; return 5 }, enumerable: true }); a
//// run: an array that grows as it is read => *
const a = [1]; Object.defineProperty(a, 0, { get() { a.length = 4294967295; return 5 }, enumerable: true }); a
//// run: a buffer that shrinks as it is read => *
const b = new ArrayBuffer(1e6, { maxByteLength: 1e6 }); [{ get a() { b.resize(0); return 1 } }, new Uint8Array(b), b]
//// run: a buffer that is moved as it is read => *
const b = new ArrayBuffer(1e6); const v = new Uint8Array(b); [{ get a() { b.transfer(); return 1 } }, v, b]
//// run: a map that grows as it is read => *
const m = new Map(); m.set(1, { get a() { for (let i = 0; i < 100; i++) m.set({}, m.get(1)); return 1 } }); m
//// run: a set that grows as it is read => *
const s = new Set(); s.add({ get a() { for (let i = 0; i < 1e5; i++) s.add(i); return 1 } }); s
//// run: a proxy with a hundred thousand keys => *
new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => 'k' + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) })
//// run: a proxy that never answers => *
new Proxy([], { get() { for (;;); }, ownKeys() { for (;;); }, getPrototypeOf() { for (;;); } })
//// run: a proxy of a proxy of a proxy => *
let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p
//// run: keys that are symbols => *
const o = {}; for (let i = 0; i < 200000; i++) o[Symbol(i)] = i; o
//// run: keys that cannot be seen => *
const o = {}; for (let i = 0; i < 200000; i++) Object.defineProperty(o, 'k' + i, { value: i }); o
//// run: words for JSON => *
({ toJSON() { return { toJSON: this.toJSON } } })
//// run: words for JSON in a record => *
JSON.stringify({ toJSON() { return 'x'.repeat(1e7) } }); echo({ toJSON: 1, a: 1 }); ({ $: 'undefined', toJSON: 'x' })
//// run: names of what it is => *
({ get [Symbol.toStringTag]() { return 'x'.repeat(1e7) }, f() { } })
//// run: names of constructors => *
class A { static get name() { return 'x'.repeat(5e6) } f = () => 1 } new A()
//// run: a class of arrays => *
class A extends Array { static get [Symbol.species]() { for (;;); } get length() { for (;;); } } new A(3)
//// run: a class of promises as the result => *
class P extends Promise { then(f) { for (;;); } } new P(() => {})
//// run: a result that becomes another => *
({ then(f) { f(Array.from({ length: 1e6 }, (_, i) => i)) } })
//// run: a result that is never there => *
({ then(f) { } })
//// run: a result that is thenable without end => *
const t = { then(f) { f(t) } }; t
//// run: own names for what the host uses => *
globalThis.console = globalThis.JSON = globalThis.Array = globalThis.Object = globalThis.Promise = undefined; ({ a: [1] })
//// run: variables by the hundred thousand => *
for (let i = 0; i < 1e5; i++) globalThis['v' + i] = i
