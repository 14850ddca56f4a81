//// run: empty lines without end => timeout
for (;;) console.log('')
//// run: empty lines without end, of every level => timeout
for (;;) { console.info(''); console.warn(''); console.error(''); console.debug('') }
//// run: empty lines without end, and a log without bounds => timeout memory; {"maxLogBytes": 1000000000}
for (;;) console.log('')
//// run: short lines without end, and a log without bounds => timeout memory; {"maxLogBytes": 1000000000}
for (let i = 0; ; i++) console.log(i)
//// run: long lines without end, and a log without bounds => timeout memory; {"maxLogBytes": 1000000000}
const line = 'x'.repeat(1e5); for (;;) console.log(line)
//// run: lines that nobody collects => timeout; {"collectConsoleLevels": []}
const line = ':1:1 '.repeat(1e5); for (;;) console.log(line)
//// run: one line of 20 MB => *
console.log('x'.repeat(2e7))
//// run: one line of 20 MB that is not ASCII => *
console.log('é'.repeat(1e7))
//// run: one line of halves of characters => *
console.log('\ud800'.repeat(5e6))
//// run: places in a program that is not ASCII => *
// @repeat(400000, "é")
console.log('run-1.js:2:9 '.repeat(5e5))
//// run: places in a program with types => *
let a: number = 1; /* @repeat(900000, "x") */
console.log('run-1.js:1:900000 '.repeat(5e5))
//// run: places in a program of many lines => *
// é@repeat(900000, "\n")
console.log('run-1.js:900000:1 '.repeat(2e5)); for (;;) console.log('run-1.js:900000:1 '.repeat(1000))
//// run: places that are none => *
'é'; console.log(':'.repeat(5e6)); console.log(':1'.repeat(5e6)); console.log(':99999999999999999999:1'.repeat(5e5))
//// run: numbers as long as the text => *
'é'; console.log(':' + '1'.repeat(2e7) + ':1'); for (;;) console.log((':' + '1'.repeat(1000)).repeat(1000))
//// run: places of a program that was long ago => timeout
'é'; for (;;) console.log(' x.js:1:1'.repeat(1e4))
//// run: one table => *
console.table(Array.from({ length: 20000 }, (_, i) => ({ a: i, b: 'x', c: null })))
//// run: one wide table => *
console.table([Object.fromEntries(Array.from({ length: 20000 }, (_, i) => ['c' + i, i]))])
//// run: a table that is as wide as it is long => *
console.table(Array.from({ length: 1000 }, (_, i) => ({ ['c' + i]: 'x'.repeat(100) })))
//// run: groups that indent ever more => *
for (let i = 0; i < 1e5; i++) console.group(); console.log('x\n'.repeat(1e5))
//// run: groups that indent, and a log without bounds => *; {"maxLogBytes": 1000000000}
for (;;) { console.group(); console.log('x') }
//// run: formats without end => *
console.log('%s'.repeat(1e6), ...Array(50000).fill('x'))
//// run: formats of objects => *
const o = { a: { b: { c: {} } } }; console.log('%o%O%j'.repeat(1e4), ...Array(30000).fill(o))
//// run: formats with styles => *
console.log('%c'.repeat(1e6), ...Array(50000).fill('color: red'))
//// run: an object without end => *
let o = {}; for (let i = 0; i < 1e5; i++) o = { o, i }; console.dir(o, { depth: Infinity })
//// run: an array without end => *
console.dir(Array.from({ length: 1e6 }, (_, i) => i), { maxArrayLength: Infinity, breakLength: 1 })
//// run: a map of maps => *
let m = new Map(); for (let i = 0; i < 1e4; i++) m = new Map([[m, new Set([m])]]); console.dir(m, { depth: 1000 })
//// run: sixty thousand arguments => *
console.log(...Array(60000).fill({ a: 1 }))
//// run: large BigInts => *
const big = 2n ** 1000000n; for (;;) console.log(big)
//// run: bytes => *
console.dir(new Uint8Array(2e7), { maxArrayLength: Infinity })
//// run: a proxy that has no end => *
const p = new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => 'k' + i), getOwnPropertyDescriptor: () => ({ value: p, enumerable: true, configurable: true }) })
console.dir(p, { depth: 100, showProxy: false })
//// run: getters that print => *
const o = { get a() { console.log(o); return 1 }, toString() { console.log(`${o}`); return '' } }; console.dir(o, { getters: true }); console.log(`${o}`)
//// run: inspectors of their own => *
const o = { [Symbol.for('nodejs.util.inspect.custom')]() { return 'x'.repeat(1e7) } }; for (;;) console.log(o, o)
//// run: traces => *
function f(n) { if (n > 0) return f(n - 1); for (;;) console.trace('x'.repeat(1000)) } f(1000)
//// run: counters with long names => *
for (let i = 0; ; i++) console.count('x'.repeat(1e5) + i)
//// run: timers with long names => *
for (let i = 0; ; i++) { console.time('x'.repeat(1e5) + i); console.timeLog('x'.repeat(1e5) + i, i); console.timeEnd('y'.repeat(1e5)) }
//// run: assertions that fail => timeout
for (;;) console.assert(false, 'x'.repeat(1e5), {})
//// run: errors with long stacks => *
const e = new Error('x'.repeat(1e6)); for (let i = 0; i < 1000; i++) e['k' + i] = new Error('y'); console.log(e)
//// run: errors with causes => *
let e = new Error('x'); for (let i = 0; i < 5000; i++) e = new Error('y'.repeat(1000), { cause: e }); console.error(e)
//// run: lines ends in texts => *
console.log(['\n'.repeat(1e6), "'\"`".repeat(1e6)], { ['\u2028'.repeat(1e5)]: 1 })
//// run: the whole realm => *
console.dir(globalThis, { depth: 20, showHidden: true })
