//// run: a message of 20 MB => *
throw new Error('x'.repeat(2e7))
//// run: a message of 3 MB => threw
throw new Error('x'.repeat(3e6))
//// run: a message of 3 MB that is not ASCII => threw
throw new Error('é'.repeat(15e5))
//// run: a message full of what JSON escapes => threw
throw new Error('\u0001"\\\n'.repeat(6e5))
//// run: a name of 3 MB => *
const e = new Error('x'); Object.defineProperty(e, 'name', { value: 'N'.repeat(3e6) }); throw e
//// run: a stack of 3 MB full of places => *
'é'; const e = new Error('x'); Object.defineProperty(e, 'stack', { value: '    at f (run-1.js:1:1)\n'.repeat(120000) }); throw e
//// run: places in a message => *
// @repeat(400000, "é")
throw new Error('run-1.js:1:400000 '.repeat(150000))
//// run: places in the stack of a thrown text => *
// @repeat(400000, "é")
throw 'run-1.js:2:5 '.repeat(200000)
//// run: a chain of causes => *
let e = new Error('x'); for (let i = 0; i < 50000; i++) e = new Error('y', { cause: e }); throw e
//// run: a chain of 900 causes with long messages => *
let e = new Error('x'); for (let i = 0; i < 900; i++) e = new Error('y'.repeat(5000), { cause: e }); throw e
//// run: an error of many errors => *
throw new AggregateError(Array.from({ length: 50000 }, (_, i) => new Error('e' + i)), 'many')
//// run: an error of errors of errors => *
let e = new Error('x'); for (let i = 0; i < 16; i++) e = new AggregateError([e, e], 'two'); throw e
//// run: an error with many properties => *
const e = new Error('x'); for (let i = 0; i < 60000; i++) e['p' + i] = i; throw e
//// run: an error with large BigInts => *
const big = 2n ** 1000000n; const e = new Error('x'); for (let i = 0; i < 60; i++) e['p' + i] = big + BigInt(i); throw e
//// run: a large BigInt => *
throw 3n ** 5000000n
//// run: large BigInts => *
const big = 2n ** 1000000n; throw Array.from({ length: 60 }, (_, i) => big + BigInt(i))
//// run: a text of 7 MB => *
throw 'x'.repeat(7e6)
//// run: bytes => *
throw new Uint8Array(7e6)
//// run: an array of a million numbers => *
throw Array.from({ length: 1e6 }, (_, i) => i)
//// run: what is nested deep => *
let o = {}; for (let i = 0; i < 990; i++) o = { o }; throw o
//// run: what is nested too deep => *
let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; throw o
//// run: a proxy => *
throw new Proxy(new Error('x'), { get(t, k) { return 'x'.repeat(1e6) }, ownKeys: () => Array.from({ length: 1e5 }, (_, i) => 'k' + i) })
//// run: a function => threw
throw function f() { }
//// run: a symbol with a long name => *
throw Symbol('x'.repeat(5e6))
//// run: nothing => threw
throw undefined
//// run: getters that never end => *
const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e
//// run: getters that throw => *
throw { get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 }, toString() { throw 4 } }
//// run: a getter that gives more each time => *
let s = 'x'.repeat(1e6); throw { get message() { return s += s }, get name() { return s }, get stack() { return s } }
//// run: an error that claims to be a refused import => *
throw Object.assign(new Error('x'), { code: 'ERR_IMPORT_NOT_ALLOWED', module: 'x'.repeat(3e6) })
//// run: an error that claims to be the engine's => *
const e = new InternalError('out of memory'); e.more = 'x'.repeat(3e6); throw e
//// run: a class of errors that prints itself => *
class E extends Error { toString() { return 'x'.repeat(1e7) } get name() { return 'E'.repeat(1e6) } } throw new E('x'.repeat(1e6))
//// run: recursion without end => *
(function f() { f() })()
//// run: recursion without end, with long names => *
const f = eval(`(function ${'f'.repeat(1e5)}() { return f() + 1 })`); f()
//// run: recursion without end in a program that is not ASCII => *
/* @repeat(400000, "é") */ function f() { return f() + 1 } f()
//// run: errors by the thousand, each with a stack => timeout
/* @repeat(100000, "é") */ let n = 0; for (;;) { try { null.x } catch (e) { n += e.stack.length } }
//// run: an error that was thrown by finally => *
function f(n) { try { return f(n + 1) } finally { throw new Error('x'.repeat(1e5)) } } f(0)
//// run: an error with a property that cannot leave => *
const e = new Error('x'.repeat(1e6)); e.f = () => 1; e.s = Symbol(); e.p = new Proxy({}, {}); e.big = 'y'.repeat(1e6); throw e
//// run: an error with regular expressions that Node has not => *
const e = new Error('x'); e.r = /(?i:a)/; throw e
//// run: an error with halves of characters => *
throw new Error('\ud800'.repeat(1e6))
//// run: an error whose lines are many => *
throw new Error('\n'.repeat(3e6))
//// run: a long message of characters that JSON escapes => threw
throw new Error('\u0001'.repeat(7e6))
//// run: a long property of characters that JSON escapes => *
throw Object.assign(new Error('x'), { text: '\u0001'.repeat(7e6) })
//// run: a long text of characters that JSON escapes is thrown => *
throw '\u0001'.repeat(7e6)
