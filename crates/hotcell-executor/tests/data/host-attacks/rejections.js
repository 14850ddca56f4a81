//// run: by the hundred thousand => *
for (let i = 0; i < 1e5; i++) Promise.reject(i); 1
//// run: without end => *
for (;;) Promise.reject(new Error('x'))
//// run: with long messages => *
for (let i = 0; i < 1000; i++) Promise.reject(new Error('x'.repeat(1e6))); 1
//// run: of long texts => *
const text = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) Promise.reject(text); 1
//// run: of large objects => *
const o = Object.fromEntries(Array.from({ length: 10000 }, (_, i) => ['k' + i, i])); for (let i = 0; i < 1000; i++) Promise.reject(o); 1
//// run: with places, in a program that is not ASCII => *
// @repeat(300000, "é")
for (let i = 0; i < 1000; i++) Promise.reject('run-1.js:2:1 '.repeat(10000)); 1
//// run: with stacks, in a program that is not ASCII => *
/* @repeat(300000, "é") */ for (let i = 0; i < 5000; i++) Promise.reject(new Error('x')); 1
//// run: of large BigInts => *
const big = 2n ** 1000000n; for (let i = 0; i < 100; i++) Promise.reject(big); 1
//// run: of what prints itself => *
for (let i = 0; i < 1000; i++) Promise.reject({ [Symbol.for('nodejs.util.inspect.custom')]: () => 'x'.repeat(1e6) }); 1
//// run: of what never prints => *
Promise.reject({ get message() { for (;;); }, [Symbol.for('nodejs.util.inspect.custom')]() { for (;;); } }); 1
//// run: of proxies => *
for (let i = 0; i < 1000; i++) Promise.reject(new Proxy({}, { ownKeys() { throw new Error('x'.repeat(1e4)) }, get() { throw 1 } })); 1
//// run: that are handled later => *
const all = Array.from({ length: 50000 }, (_, i) => Promise.reject(i)); await null; for (const p of all) p.catch(() => {}); 1
//// run: of asynchronous functions => *
async function f(n) { if (n > 0) return f(n - 1); throw new Error('x'.repeat(1000)) } for (let i = 0; i < 500; i++) f(50); 1
//// run: of all of many => *
await Promise.any(Array.from({ length: 50000 }, (_, i) => Promise.reject(new Error('e' + i))))
//// run: while the answer is final => *
for (let i = 0; i < 50000; i++) Promise.reject(new Error('x')); final_answer('x'.repeat(1e6))
//// run: that make others => timeout memory
const f = () => { Promise.reject(1); Promise.resolve().then(f) }; f(); await new Promise(() => {})
//// run: jobs that throw => *
for (let i = 0; i < 50000; i++) queueMicrotask(() => { throw new Error('x'.repeat(100)) }); 1
//// run: jobs without end => timeout memory
(function f() { queueMicrotask(f); queueMicrotask(f) })(); await new Promise(() => {})
//// run: thenables without end => *
const t = { then(f) { f({ then: this.then }) } }; await t
//// run: before what never settles => *
for (let i = 0; i < 50000; i++) Promise.reject(new Error('x'.repeat(1000))); await new Promise(() => {})
//// run: of long texts, before what never settles => *
const text = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) Promise.reject(text); await new Promise(() => {})
//// run: of what never prints, before what never settles => *
Promise.reject({ get message() { for (;;); }, [Symbol.for('nodejs.util.inspect.custom')]() { for (;;); } }); await new Promise(() => {})
