//// for counts
let sum = 0; for (let i = 0; i < 5; i++) sum += i; sum
//=> 10

//// for without any head
let i = 0; for (;;) { if (++i > 3) break } i
//=> 4

//// for with two variables
const out = []; for (let i = 0, j = 10; i < j; i += 3, j--) out.push([i, j]); out
//=> [[0,10],[3,9],[6,8]]

//// for with var is visible after
for (var i = 0; i < 3; i++); i
//=> 3

//// for with an expression head
let a, b; for (a = 0, b = 1; b < 50; [a, b] = [b, a + b]); b
//=> 55

//// for whose body is a single statement
let n = 0; for (let i = 0; i < 3; i++) if (i % 2) n += 10; else n++
n
//=> 12

//// for whose body is empty on the next line
let n = 0
for (let i = 0; i < 3; n += i++)
;
n
//=> 3

//// for whose head holds an in operator in parentheses
let n = 0; for (let has = ("a" in { a: 1 }); n < 2; n++) if (!has) n = 99; n
//=> 2

//// for const that never changes
let n = 0; for (const step = 2; n < 6; n += step); n
//=> 6

//// for const cannot be stepped
for (const i = 0; i < 2; i++) {}
//!! TypeError

//// while
let n = 1; while (n < 100) n *= 2; n
//=> 128

//// while that never runs
let n = 0; while (false) n++; n
//=> 0

//// while with an assignment as its test
const items = [3, 2, 1]; let x, out = ""; while ((x = items.pop())) out += x; out
//=> "123"

//// do while runs once
let n = 0; do n++; while (false) n
//=> 1

//// do while with a block
let n = 0; do { n += 2 } while (n < 7); n
//=> 8

//// do while needs no semicolon
let n = 0
do n++
while (n < 3)
n
//=> 3

//// do while in one line before another statement
let a = 0; do a++; while (a < 2) a * 10
//=> 20

//// for in gives keys in order
const out = []; for (const k in { b: 1, a: 2, 10: 3, 9: 4 }) out.push(k); out
//=> ["9","10","b","a"]

//// for in walks the prototype
const o = Object.create({ inherited: 1 }); o.own = 2
const out = []; for (const k in o) out.push(k); out
//=> ["own","inherited"]

//// for in skips what is deleted on the way
const o = { a: 1, b: 2, c: 3 }, out = []
for (const k in o) { out.push(k); delete o.b }
out
//=> ["a","c"]

//// for in of null does nothing
let n = 0; for (const k in null) n++; for (const k in undefined) n++; n
//=> 0

//// for in of a string
let out = ""; for (const k in "abc") out += k; out
//=> "012"

//// for in with a member as its target
const o = {}; for (o.key in { x: 1, y: 2 }); o
//=> {"key":"y"}

//// for in with destructuring of the key
const out = []; for (const [first, ...rest] in { abc: 1, xy: 2 }) out.push(first, rest.join("")); out
//=> ["a","bc","x","y"]

//// for in skips symbols and hidden properties
const o = { a: 1, [Symbol("s")]: 2 }; Object.defineProperty(o, "hidden", { value: 3 })
const out = []; for (const k in o) out.push(k); out
//=> ["a"]

//// for of over an array
let s = 0; for (const x of [1, 2, 3]) s += x; s
//=> 6

//// for of over a string goes by code points
const out = []; for (const c of "a💡b") out.push(c); out
//=> ["a","💡","b"]

//// for of over a map destructures
const out = []; for (const [k, v] of new Map([["a", 1], ["b", 2]])) out.push(k + v); out
//=> ["a1","b2"]

//// for of with a default in its pattern
const out = []; for (const { n = 7, ...rest } of [{ n: 1, x: 2 }, {}]) out.push(n, rest); out
//=> [1,{"x":2},7,{}]

//// for of with a member as its target
const o = {}; for (o.x of [1, 2, 3]); o.x
//=> 3

//// for of with an array pattern as its target
let a, b; for ([a, b = 5] of [[1, 2], [3]]); [a, b]
//=> [3,5]

//// for of sees what is pushed on the way
const items = [1, 2], out = []; for (const x of items) { out.push(x); if (items.length < 5) items.push(x * 10) } out
//=> [1,2,10,20,100]

//// for of over what is not iterable
for (const x of 5) {}
//!! TypeError

//// for of with a variable named of
const out = []; for (const of of [1, 2]) out.push(of); out
//=> [1,2]

//// for with a variable named async
const out = []; for (let async of [1, 2]) out.push(async); out
//=> [1,2]

//// for await over promises
const out = []; for await (const x of [Promise.resolve(1), 2, Promise.resolve(3)]) out.push(x); out
//=> [1,2,3]

//// for await over an async generator
async function* g() { yield 1; await null; yield 2 }
let s = ""; for await (const x of g()) s += x
s
//=> "12"

//// for await with a single statement and break
const out = []; for await (const x of [1, 2, 3]) if (x === 2) break; else out.push(x)
out
//=> [1]

//// for await rejects with what the promise rejects with
for await (const x of [Promise.reject(new RangeError("no"))]);
//!! RangeError: no

//// continue with a label goes on outside
const out = []
outer: for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) { if (j === 1) continue outer; out.push(`${i}${j}`) }
out
//=> ["00","10","20"]

//// break with a label leaves both
let n = 0; outer: while (true) { do { n++; if (n === 5) break outer } while (true) } n
//=> 5

//// labels two deep
const out = []
a: for (const i of [1, 2, 3]) b: for (const j of [1, 2, 3]) { for (const k of [1, 2, 3]) { if (k === 2) continue b; if (j === 3) continue a; if (i === 3) break a; out.push(i * 100 + j * 10 + k) } }
out
//=> [111,121,211,221]

//// two labels on one loop
let n = 0; a: b: for (;;) { n++; if (n < 3) continue a; if (n < 5) continue b; break a } n
//=> 5

//// a label on a block
let out = []; block: { out.push(1); if (out.length) break block; out.push(2) } out.push(3); out
//=> [1,3]

//// a label on an if
let out = 0; check: if (true) { out = 1; break check; } else out = 2
out
//=> 1

//// break in a switch leaves only the switch
const out = []; for (let i = 0; i < 4; i++) { switch (i) { case 1: break; case 2: continue; default: out.push(i) } out.push("|") } out
//=> [0,"|","|",3,"|"]

//// break with a label leaves switch and loop
let n = 0; loop: for (;;) { switch (n++) { case 3: break loop; default: continue loop } } n
//=> 4

//// a label shares its name with a variable
let x = 1; x: for (;;) { x++; break x } x
//=> 2

//// labels that differ only in an escape
let n = 0; \u0061b: for (;;) { n++; break ab } n
//=> 1

//// continue in do while tests again
let n = 0, tests = 0; do { n++; if (n < 3) continue; break } while (++tests < 10); [n, tests]
//=> [3,2]

//// continue in for steps
const out = []; for (let i = 0; i < 5; i++) { if (i & 1) continue; out.push(i) } out
//=> [0,2,4]

//// continue through finally
const out = []; for (let i = 0; i < 3; i++) { try { if (i === 1) continue; out.push(i) } finally { out.push("f") } } out
//=> [0,"f","f",2,"f"]

//// break out of finally beats return
function f() { for (;;) { try { return 1 } finally { break } } return 2 } f()
//=> 2

//// each iteration of for let has its own variable
const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); fs.map(f => f())
//=> [0,1,2]

//// all iterations of for var share one
const fs = []; for (var i = 0; i < 3; i++) fs.push(() => i); fs.map(f => f())
//=> [3,3,3]

//// a closure of the body sees its own later change
const fs = []; for (let i = 0; i < 3; i++) { fs.push(() => i); i += 10; } fs.map(f => f())
//=> [10]

//// a closure made in the head sees the first binding
let get; const out = []; for (let i = 0, f = (get = () => i); i < 3; i++) out.push(get()); out
//=> [0,0,0]

//// a closure made in the test sees the iteration
const fs = []; for (let i = 0; fs.push(() => i), i < 2; i++); fs.map(f => f())
//=> [0,1,2]

//// a closure made in the step belongs to the next
const fs = []; for (let i = 0; i < 3; fs.push(() => i), i++); fs.map(f => f())
//=> [1,2,3]

//// closures in for of and for in
const fs = []; for (const x of [1, 2]) fs.push(() => x); for (let k in { a: 1, b: 1 }) fs.push(() => k); fs.map(f => f())
//=> [1,2,"a","b"]

//// closures in while capture the block
const fs = []; let i = 0; while (i < 3) { const j = i++; fs.push(() => j) } fs.map(f => f())
//=> [0,1,2]

//// closures with continue and per iteration variables
const fs = []; for (let i = 0; i < 4; i++) { if (i === 1) continue; fs.push(() => i) } fs.map(f => f())
//=> [0,2,3]

//// async closures in a loop keep their variable
const ps = []; for (let i = 0; i < 3; i++) ps.push((async () => { await null; return i })()); await Promise.all(ps)
//=> [0,1,2]

//// await inside every part of for
const out = []; for (let i = await 0; i < await 3; i += await 1) out.push(await i); out
//=> [0,1,2]

//// a loop in a loop head
let n = 0; for (const x of (() => { const a = []; for (let i = 0; i < 3; i++) a.push(i); return a })()) n += x; n
//=> 3

//// a loop whose test has side effects
let log = []; let i = 3; while (log.push(i), --i); log
//=> [3,2,1]

//// nested loops of every kind
let n = 0
for (let a = 0; a < 2; a++) { let b = 0; while (b++ < 2) { let c = 0; do { for (const d of [1, 2]) for (const e in { x: 1, y: 2 }) n++ } while (++c < 2) } }
n
//=> 32

//// an iterator is closed by break
const log = []; const it = { [Symbol.iterator]() { let i = 0; return { next: () => ({ value: i++, done: false }), return() { log.push("closed"); return {} } } } }
for (const x of it) { log.push(x); if (x === 1) break } log
//=> [0,1,"closed"]

//// an iterator is closed by throw and by return
const log = []; const it = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }), return() { log.push("closed"); return {} } } } }
try { for (const x of it) throw new Error("x") } catch (e) { log.push(e.message) }
(() => { for (const x of it) return })(); log
//=> ["closed","x","closed"]

//// an iterator is closed by an outer continue
const log = []; const it = n => ({ [Symbol.iterator]() { return { next: () => ({ value: 1 }), return() { log.push("closed" + n); return {} } } } })
let i = 0; outer: for (; i < 2; i++) for (const x of it(i)) continue outer; log
//=> ["closed0","closed1"]

//// an iterator that ends is not closed
const log = []; const it = { [Symbol.iterator]() { let i = 0; return { next: () => ({ value: i, done: i++ > 1 }), return() { log.push("closed"); return {} } } } }
for (const x of it) log.push(x); log
//=> [0,1]

//// an error of next does not close
const log = []; const it = { [Symbol.iterator]() { return { next() { throw new Error("next") }, return() { log.push("closed"); return {} } } } }
try { for (const x of it); } catch (e) { log.push(e.message) } log
//=> ["next"]

//// the error of the body wins over the error of closing
const it = { [Symbol.iterator]() { return { next: () => ({ value: 1 }), return() { throw new Error("close") } } } }
let m; try { for (const x of it) throw new Error("body") } catch (e) { m = e.message } m
//=> "body"

//// the error of closing shows after break
const it = { [Symbol.iterator]() { return { next: () => ({ value: 1 }), return() { throw new Error("close") } } } }
for (const x of it) break
//!! Error: close

//// an async iterator is closed and awaited
const log = []; const it = { [Symbol.asyncIterator]() { return { next: async () => ({ value: 1, done: false }), async return() { await null; log.push("closed"); return {} } } } }
for await (const x of it) break
log.push("after"); log
//=> ["closed","after"]

//// a loop in a getter, a setter and a computed key
const o = { get sum() { let s = 0; for (const x of [1, 2]) s += x; return s }, set n(v) { while (v-- > 0) this.c = (this.c ?? 0) + 1 }, [(() => { let k = ""; for (const c of "ab") k += c; return k })()]: 1 }
o.n = 3; [o.sum, o.c, o.ab]
//=> [3,3,1]

//// while true with return in a function
const f = n => { while (true) { if (n-- <= 0) return "out" } }; f(3)
//=> "out"

//// deep labels with the same name one after the other
let n = 0; a: for (;;) { n++; break a } a: for (;;) { n++; break a } n
//=> 2

//// function of the same name as a label
function foo() { return 1 } foo: for (;;) { break foo } foo()
//=> 1
