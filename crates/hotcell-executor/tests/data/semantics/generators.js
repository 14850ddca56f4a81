//// a generator
function* g() { yield 1; yield 2; return 3 } [[...g()], g().next()]
//=> [[1,2],{"value":1,"done":false}]

//// what is sent
function* g() { const a = yield "first"; const b = yield a * 2; return a + b }
const it = g(); [it.next(), it.next(5), it.next(7), it.next()]
//=> [{"value":"first","done":false},{"value":10,"done":false},{"value":12,"done":true},{"value":{"$":"undefined"},"done":true}]

//// delegation
function* a() { const x = yield 1; return "r" + x } function* b() { const r = yield* a(); yield r; yield* "xy" }
const it = b(); [it.next().value, it.next("s").value, it.next().value, it.next().value, it.next().done]
//=> [1,"rs","x","y",true]

//// return runs finally
const log = []; function* g() { try { yield 1; yield 2 } finally { log.push("f"); yield 3 } }
const it = g(); [it.next(), it.return(9), it.next(), log]
//=> [{"value":1,"done":false},{"value":3,"done":false},{"value":9,"done":true},["f"]]

//// throw is caught inside
function* g() { for (;;) try { yield "y" } catch (e) { yield "caught " + e } }
const it = g(); it.next(); [it.throw("x").value, it.next().value]
//=> ["caught x","y"]

//// throw before the start
function* g() { yield 1 } const it = g(); let r; try { it.throw(new Error("early")) } catch (e) { r = e.message } [r, it.next()]
//=> ["early",{"value":{"$":"undefined"},"done":true}]

//// return before the start
function* g() { yield 1 } const it = g(); [it.return(5), it.next()]
//=> [{"value":5,"done":true},{"value":{"$":"undefined"},"done":true}]

//// a running generator cannot be entered
let it; function* g() { it.next() } it = g(); it.next()
//!! TypeError

//// a generator is not a constructor
function* g() {} new g()
//!! TypeError

//// a generator method and a computed one
const o = { *a() { yield 1 }, *["b" + 1]() { yield 2 } }; class C { static *s() { yield 3 } *[Symbol.iterator]() { yield* [4, 5] } }
[...o.a(), ...o.b1(), ...C.s(), ...new C()]
//=> [1,2,3,4,5]

//// generators are lazy
const log = []; function* g() { log.push("start"); yield 1 } const it = g(); log.push("made"); it.next(); log
//=> ["made","start"]

//// infinite generators with destructuring and break
function* nat() { let n = 0; while (true) yield n++ } const [a, b, c] = nat(); let s = 0; for (const n of nat()) { if (n > 4) break; s += n } [a, b, c, s]
//=> [0,1,2,10]

//// yield in every place
function* g() { const o = { [yield "k"]: yield "v" }; return [o, `${yield "t"}`, [yield, ...(yield "s")], (yield "c") ? yield "a" : yield "b"] }
const it = g(); const out = []; let r = it.next(); for (const s of ["key", "val", "tpl", 1, [2], true, "end"]) { out.push(r.value); r = it.next(s) } [out, r.value]
//=> [["k","v","t",{"$":"undefined"},"s","c","a"],[{"key":"val"},"tpl",[1,2],"end"]]

//// yield has the lowest precedence
function* g() { const x = yield 1 + 1; yield x ? "y" : "n" } const it = g(); [it.next().value, it.next(0).value]
//=> [2,"n"]

//// delegation to an iterator without throw
const log = []; const inner = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }), return() { log.push("closed"); return {} } } } }
function* g() { yield* inner } const it = g(); it.next(); let e; try { it.throw(new Error("x")) } catch (err) { e = err.name } [e, log]
//=> ["TypeError",["closed"]]

//// the result of delegation to return
function* a() { try { yield 1 } finally { yield "cleanup" } } function* b() { yield* a() } const it = b(); [it.next().value, it.return("r").value, it.next()]
//=> [1,"cleanup",{"value":{"$":"undefined"},"done":true}]

//// a recursive generator
function* walk(t) { if (Array.isArray(t)) for (const x of t) yield* walk(x); else yield t } [...walk([1, [2, [3, [4]]], 5])]
//=> [1,2,3,4,5]

//// async generators
async function* g() { yield 1; yield Promise.resolve(2); return 3 } const it = g(); [await it.next(), await it.next(), await it.next()]
//=> [{"value":1,"done":false},{"value":2,"done":false},{"value":3,"done":true}]

//// async generators queue their requests
async function* g() { const a = yield 1; const b = yield a; return b } const it = g(); (await Promise.all([it.next(), it.next("A"), it.next("B"), it.next()])).map(r => r.value)
//=> [1,"A","B",{"$":"undefined"}]

//// async generators return and throw
async function* g() { try { yield 1 } catch (e) { yield "c" + e } finally { yield "f" } } const it = g(); [await it.next(), await it.throw("x"), await it.return("r"), await it.next()].map(r => r.value)
//=> [1,"cx","f","r"]

//// async delegation to sync and async
async function* a() { yield 1 } async function* b() { yield* a(); yield* [Promise.resolve(2), 3]; } const out = []; for await (const x of b()) out.push(x); out
//=> [1,2,3]

//// an async generator that throws
async function* g() { yield 1; throw new Error("mid") } const out = []; try { for await (const x of g()) out.push(x) } catch (e) { out.push(e.message) } out
//=> [1,"mid"]

//// async iteration of an object
const o = { async *[Symbol.asyncIterator]() { yield* [1, 2] } }; const out = []; for await (const x of o) out.push(x * 10); out
//=> [10,20]

//// for await in a generator method of a class
class Pages { constructor(n) { this.n = n } async *pages() { for (let i = 0; i < this.n; i++) yield await this.#load(i) } async #load(i) { return { page: i } } }
const out = []; for await (const { page } of new Pages(3).pages()) out.push(page); out
//=> [0,1,2]

//// await in for await in an async function
const f = async xs => { let s = 0; for await (const x of xs) s += await x; return s }; await f([1, Promise.resolve(2)])
//=> 3

//// an iterator by hand
class Range { constructor(a, b) { this.a = a; this.b = b } [Symbol.iterator]() { let i = this.a; const b = this.b; return { next: () => i < b ? { value: i++, done: false } : { value: undefined, done: true }, [Symbol.iterator]() { return this } } } }
[[...new Range(1, 4)], Math.max(...new Range(0, 3)), Array.from(new Range(5, 7), x => x * 2)]
//=> [[1,2,3],2,[10,12]]

//// iterator helpers
function* nat() { let n = 0; while (true) yield n++ } nat().filter(n => n % 2).map(n => n * n).drop(1).take(3).toArray()
//-- Node 20 has no iterator helpers
//=> [9,25,49]

//// iterators of the built-ins
[[..."ab"], [...new Set([1, 1, 2])], [...new Map([[1, 2]]).keys()], [...[7, 8].entries()], [...Object.entries({ a: 1 })], [..."a1".matchAll(/\d/g)].length]
//=> [["a","b"],[1,2],[1],[[0,7],[1,8]],[["a",1]],1]

//// Array.from and Array.fromAsync
[Array.from({ length: 3 }, (_, i) => i), Array.from("abc"), await Array.fromAsync([Promise.resolve(1), 2])]
//-- Node 20 has no Array.fromAsync
//=> [[0,1,2],["a","b","c"],[1,2]]

//// a generator keeps its state between uses
const ids = (function* () { let id = 0; while (true) yield ++id })(); const next = () => ids.next().value; [next(), next(), next()]
//=> [1,2,3]

//// arguments and this in a generator
function* g() { yield this?.x; yield arguments.length } [...g.call({ x: 1 }, 2, 3)]
//=> [1,2]

//// spread stops at done
let calls = 0; const it = { [Symbol.iterator]: () => ({ next: () => ({ done: ++calls > 3, value: calls }) }) }; [[...it], calls]
//=> [[1,2,3],4]
