//// snapshot: memory that is full => *
const keep = []; try { for (;;) keep.push(new Uint8Array(1e6).fill(keep.length)) } catch {} 1
//// snapshot: memory that cannot be compressed => *
globalThis.b = new Uint32Array(1e7); let x = 1; for (let i = 0; i < 2e6; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; b[i * 4] = x } 1
//// fork: memory that is full => *
const keep = []; try { for (;;) keep.push(new Uint8Array(1e6).fill(keep.length)) } catch {} 1
//// snapshot: a stack that was deep => *
globalThis.f = (n) => n > 0 ? f(n - 1) + 1 : 0; f(9000)
//// fork: a stack that was deep => *
globalThis.f = (n) => n > 0 ? f(n - 1) + 1 : 0; f(9000)
//// snapshot: calls in flight => *
for (let i = 0; i < 900; i++) never('x'.repeat(1e4)); 1
//// fork: calls in flight => *
for (let i = 0; i < 900; i++) never('x'.repeat(1e4)); 1
//// snapshot: calls in flight with large arguments => *
for (let i = 0; i < 5; i++) never('x'.repeat(5e6)); 1
//// snapshot: promises that wait => *
globalThis.p = Promise.resolve(); for (let i = 0; i < 50000; i++) p = p.then(() => p); new Promise(() => {}); 1
//// snapshot: functions that wait => *
globalThis.all = []; async function f() { await never(); } function* g() { for (;;) yield 1 } for (let i = 0; i < 500; i++) { f(); const one = g(); one.next(); all.push(one) } 1
//// snapshot: rejections that nobody handled => *
for (let i = 0; i < 1e4; i++) Promise.reject(new Error('x')); 1
//// snapshot: a large program => *
/* @repeat(400000, "é") */ globalThis.f = () => null.x; 1
//// snapshot: functions that were made => *
globalThis.all = []; for (let i = 0; i < 200; i++) all.push(new Function(`/* ${i} */ return ${'1+'.repeat(100)}1`)); 1
//// snapshot: globals by the thousand => *
for (let i = 0; i < 30000; i++) globalThis['v' + i] = { i }; 1
//// fork: globals by the thousand => *
for (let i = 0; i < 30000; i++) globalThis['v' + i] = { i }; 1
//// snapshot: declarations of names that other hosts have => *
let process = 1, window = 2, document = 3, Buffer = 4, require = 5, global = 6; 1
//// snapshot: imports that were refused => *
for (let i = 0; i < 100; i++) import('x'.repeat(1e4) + i).catch(() => {}); 1
//// snapshot: what remains after an error => *
globalThis.keep = 'x'.repeat(1e6); throw new Error('y'.repeat(1e6))
//// snapshot: a console that indents => *
for (let i = 0; i < 1e5; i++) console.group(); 1
//// snapshot: compartments => *
globalThis.all = []; for (let i = 0; i < 20; i++) all.push(new Compartment()); 1
//// snapshot: an answer that was final => *
globalThis.t = { get then() { return final_answer(1) } }; await t
//// fork: what was cut short => *
for (;;) never('x'.repeat(1000))
