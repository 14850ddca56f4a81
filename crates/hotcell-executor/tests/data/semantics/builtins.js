//// array methods that copy
const a = [3, 1, 2]; [a.toSorted(), a.toReversed(), a.with(1, 9), a.toSpliced(0, 2, "x"), a]
//=> [[1,2,3],[2,1,3],[3,9,2],["x",2],[3,1,2]]

//// array methods that find
const a = [1, 2, 3, 4]; [a.find(x => x > 1), a.findLast(x => x < 4), a.findIndex(x => x === 3), a.findLastIndex(x => x === 9), a.at(-1), a.includes(NaN), [NaN].includes(NaN), [NaN].indexOf(NaN)]
//=> [2,3,2,-1,4,false,true,-1]

//// map, filter, reduce
[[1, 2, 3].map((x, i, a) => x * i + a.length), [1, 2, 3].filter(x => x & 1), [1, 2, 3].reduce((a, b) => a - b), [1, 2, 3].reduceRight((a, b) => a - b), [[1], [2, [3]]].flat(Infinity), [1, 2].flatMap(x => [x, x * 10])]
//=> [[3,5,9],[1,3],-4,0,[1,2,3],[1,10,2,20]]

//// reduce of nothing
[].reduce((a, b) => a)
//!! TypeError

//// sort is stable and by text
[[10, 9, 1].sort(), [{ k: 1, v: "a" }, { k: 0, v: "b" }, { k: 1, v: "c" }].sort((a, b) => a.k - b.k).map(x => x.v).join(""), [3, undefined, 1].sort()]
//=> [[1,10,9],"bac",[1,3,{"$":"undefined"}]]

//// splice, fill, copyWithin
const a = [1, 2, 3, 4, 5]; const r = a.splice(1, 2, "x"); [r, a, Array(3).fill(0), [1, 2, 3, 4].copyWithin(0, 2), [1, 2, 3].fill(9, 1, 2)]
//=> [[2,3],[1,"x",4,5],[0,0,0],[3,4,3,4],[1,9,3]]

//// holes
const a = [1, , 3]; [a.length, 1 in a, a.map(x => 2).length, a.forEach.length, Object.keys(a), a.flat().length, [...a][1]]
//=> [3,false,3,1,["0","2"],2,{"$":"undefined"}]

//// length
const a = [1, 2, 3]; a.length = 1; a[3] = 4; [a.length, a]
//=> [4,[1,{"$":"hole"},{"$":"hole"},4]]

//// a length that is no length
Array(-1)
//!! RangeError

//// every, some, join, concat
[[1, 2].every(x => x), [].every(x => 0), [0].some(x => x), [1, null, undefined, [2, 3]].join("-"), [1].concat(2, [3, [4]])]
//=> [true,true,false,"1---2,3",[1,2,3,[4]]]

//// array-likes and generic methods
[Array.prototype.map.call("abc", c => c + c), Array.from({ 0: "x", length: 1 }), Array.isArray(Array.prototype), Array.of(7).length]
//=> [["aa","bb","cc"],["x"],true,1]

//// keys, values, entries
[[...["a", "b"].keys()], [...["a"].values()], [...["a", "b"].entries()].flat()]
//=> [[0,1],["a"],[0,"a",1,"b"]]

//// string methods
["abc".at(-1), "abc".slice(-2), "abc".substring(2, 0), "a,b".split(","), "ab".repeat(2), "5".padStart(3, "0"), "5".padEnd(3, "-"), " x ".trim() + "|" + " x".trimEnd(), "abc".includes("b", 2), "aXbX".replaceAll("X", "-")]
//=> ["c","bc","ab",["a","b"],"abab","005","5--","x| x",false,"a-b-"]

//// more string methods
["abc".startsWith("b", 1), "abc".endsWith("b", 2), "a-b-c".lastIndexOf("-"), "é".normalize("NFD").length, "ß".toUpperCase(), "İ".toLowerCase().length, "abc".codePointAt(1), String.fromCodePoint(128161), "a".localeCompare("b"), "abc".search(/c/)]
//=> [true,true,3,2,"SS",2,98,"💡",-1,2]

//// isWellFormed and toWellFormed
["ab\ud800".isWellFormed(), "a\ud800".toWellFormed().charCodeAt(1)]
//=> [false,65533]

//// strings are compared by code units
["a" < "b", "B" < "a", "10" < "9", 10 < 9, "a" < "aa", "é" > "z"]
//=> [true,true,true,false,true,true]

//// split with limits and groups
["a1b2c".split(/(\d)/), "abc".split(""), "a,b,c".split(",", 2), "".split(","), "".split("")]
//=> [["a","1","b","2","c"],["a","b","c"],["a","b"],[""],[]]

//// replacement patterns
["abc".replace("b", "[$&$`$']"), "aa".replace(/a/g, "$$"), "x".replace("x", () => "$&")]
//=> ["a[bac]c","$$","$&"]

//// encoding of URIs
[encodeURIComponent("a b&é/💡"), decodeURIComponent("%E2%82%AC"), encodeURI("a b?x=é"), escape("é")]
//=> ["a%20b%26%C3%A9%2F%F0%9F%92%A1","€","a%20b?x=%C3%A9","%E9"]

//// a broken URI
decodeURIComponent("%")
//!! URIError

//// promise order
const log = []; Promise.resolve().then(() => log.push("then1")).then(() => log.push("then2")); queueMicrotask(() => log.push("micro")); (async () => { log.push("sync"); await null; log.push("after await") })(); log.push("end"); await new Promise(r => queueMicrotask(() => queueMicrotask(() => queueMicrotask(r)))); log
//=> ["sync","end","then1","micro","after await","then2"]

//// await takes one turn for promises and three for thenables
const log = []; (async () => { await { then(r) { r() } }; log.push("thenable") })(); (async () => { await Promise.resolve(); log.push("promise") })(); (async () => { await 0; log.push("value") })(); for (let i = 0; i < 5; i++) await null; log
//=> ["promise","value","thenable"]

//// returning a promise from async costs turns
const log = []; (async () => Promise.resolve())().then(() => log.push("promise")); (async () => 1)().then(() => log.push("value")); for (let i = 0; i < 5; i++) await null; log
//=> ["value","promise"]

//// then is asynchronous
const log = []; new Promise(r => { log.push("executor"); r(); log.push("still") }).then(() => log.push("then")); log.push("sync"); await null; log
//=> ["executor","still","sync","then"]

//// Promise.all, race, any, allSettled
const no = () => Promise.reject(new Error("no")); [await Promise.all([1, Promise.resolve(2)]), await Promise.race([new Promise(() => {}), Promise.resolve("r")]), await Promise.any([no(), Promise.resolve("a")]), (await Promise.allSettled([1, no()])).map(r => r.status)]
//=> [[1,2],"r","a",["fulfilled","rejected"]]

//// Promise.any of failures
Promise.any([Promise.reject(1), Promise.reject(2)]).catch(e => [e.name, e.errors])
//=> ["AggregateError",[1,2]]

//// Promise.withResolvers and Promise.try
const { promise, resolve } = Promise.withResolvers(); resolve(5); [await promise, await Promise.try(() => 6)]
//-- Node 20 has neither
//=> [5,6]

//// finally passes values and errors
[await Promise.resolve(1).finally(() => 2), await Promise.reject(3).finally(() => 4).catch(e => e), await Promise.resolve().finally(() => { throw 5 }).catch(e => e)]
//=> [1,3,5]

//// a promise settles once
await new Promise((resolve, reject) => { resolve(1); resolve(2); reject(3); throw 4 })
//=> 1

//// a promise cannot resolve to itself
const p = Promise.resolve().then(() => p); p.catch(e => e.name)
//=> "TypeError"

//// errors in async functions reject
const f = async () => { throw new RangeError("async") }; let r; try { await f() } catch (e) { r = e.message } r
//=> "async"

//// try and finally in async functions
const log = []; const f = async () => { try { await null; return log.push("try") } finally { await null; log.push("finally") } }; [await f(), log]
//=> [1,["try","finally"]]

//// await in a loop against Promise.all
const work = async x => { await null; return x * 2 }; const a = []; for (const x of [1, 2, 3]) a.push(await work(x)); [a, await Promise.all([1, 2, 3].map(work))]
//=> [[2,4,6],[2,4,6]]

//// async arrow in every form
const a = async () => 1, b = async x => x, c = async ({ x }) => { return x }, d = { async m() { return this.v }, v: 4 }; [await a(), await b(2), await c({ x: 3 }), await d.m()]
//=> [1,2,3,4]

//// error classes
[new TypeError("m") instanceof Error, Object.prototype.toString.call(new RangeError()), new Error("a", { cause: "b" }).cause, String(new Error("")), new AggregateError([1], "m").errors, new EvalError("x").name]
//=> [true,"[object Error]","b","Error",[1],"EvalError"]

//// try, catch, finally in every order
const log = []; const f = (t) => { try { log.push("t"); if (t) throw "x"; return "try" } catch (e) { log.push("c" + e); return "catch" } finally { log.push("f") } }; [f(0), f(1), log]
//=> ["try","catch",["t","f","t","cx","f"]]

//// finally without catch lets the error pass
const log = []; try { try { throw new Error("in") } finally { log.push("f") } } catch (e) { log.push(e.message) } log
//=> ["f","in"]

//// an error in catch and in finally
const r = []; try { try { throw 1 } catch (e) { throw e + 1 } finally { r.push("f") } } catch (e) { r.push(e) } try { try { throw 1 } finally { throw 3 } } catch (e) { r.push(e) } r
//=> ["f",2,3]

//// an error thrown by a getter
const o = { get x() { throw new Error("getter") } }; o.x
//!! Error: getter

//// an error thrown by toString
`${{ toString() { throw new Error("toString") } }}`
//!! Error: toString

//// what cannot become a primitive
`${Object.create(null)}`
//!! TypeError

//// a symbol does not become a string
Symbol("x") + ""
//!! TypeError

//// Intl-like formats of numbers without a locale
[(1234567.891).toLocaleString().replace(/[^\d]/g, "").startsWith("1234567"), typeof new Date(0).toLocaleDateString()]
//=> [true,"string"]

//// globals that stand by themselves
[typeof globalThis, typeof Infinity, typeof NaN, typeof undefined, typeof isFinite, typeof Compartment, typeof harden]
//-- Node has no Compartment and no harden
//=> ["object","number","number","undefined","function","function","function"]

//// harden freezes all the way
const o = harden({ a: { b: [1] } }); let r; try { o.a.b.push(2) } catch (e) { r = e.name } [r, Object.isFrozen(o.a)]
//-- Node has no harden
//=> ["TypeError",true]

//// a child compartment has its own globals
const c = new Compartment({ globals: { x: 5 }, __options__: true }); [c.evaluate("x + 1"), typeof x, c.evaluate("globalThis !== undefined && typeof y"), c.globalThis.x]
//-- Node has no Compartment
//=> [6,"undefined","undefined",5]

//// getter and iterator interplay in spread
const log = []; const o = { get a() { log.push("a"); return 1 }, get b() { log.push("b"); return 2 } }; const { a, ...rest } = { ...o }; [rest, log]
//=> [{"b":2},["a","b"]]

//// atob, btoa, TextEncoder where there are
[btoa("hi"), atob("aGk="), [...new TextEncoder().encode("é")], new TextDecoder().decode(new Uint8Array([226, 130, 172]))]
//=> ["aGk=","hi",[195,169],"€"]

//// URL where there is
const u = new URL("../b?x=1&x=2#h", "https://example.org/a/c"); [u.href, u.searchParams.getAll("x"), u.hash]
//=> ["https://example.org/b?x=1&x=2#h",["1","2"],"#h"]
