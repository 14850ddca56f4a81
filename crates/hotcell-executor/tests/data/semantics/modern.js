//// defaults that depend on each other
const f = ({ a = 1, b = a * 2 } = {}, [c, d = c] = [5]) => [a, b, c, d]; [f(), f({ a: 3 }), f({}, [1])]
//=> [[1,2,5,5],[3,6,5,5],[1,2,1,1]]

//// nested patterns with defaults and rest
const { a = 1, b: { c = 2, ...d } = {}, ...e } = { b: { x: 1 }, y: 2 }; [a, c, d, e]
//=> [1,2,{"x":1},{"y":2}]

//// patterns that assign to members
let a = 1, b = 2; [a, b] = [b, a]; const o = {}; ({ x: o.p, y: [o.q] } = { x: 1, y: [2] }); [a, b, o]
//=> [2,1,{"p":1,"q":2}]

//// a setter is called by every kind of assignment
const r = []; const o = { set x(v) { r.push(v) } }; o.x = 1; [o.x] = [2]; for (o.x of [3, 4]); ({ a: o.x } = { a: 5 }); r
//=> [1,2,3,4,5]

//// assigning to a parameter in another's default
const f = (a, b = (a = 5), c = () => a++) => { c(); return [a, b] }; f(1)
//=> [6,5]

//// a closure among parameters sees what the body assigns
const f = ({ x, y = () => x }, put = v => { x = v }) => { put(7); const g = () => x; x++; return [x, y(), g()] }; f({ x: 1 })
//=> [8,8,8]

//// a variable of a parameter's name is another variable
function f(a, g = () => a) { var a; const before = a; a = 2; return [before, a, g()] } f(1)
//=> [1,2,1]

//// a variable of a parameter's name begins with its value
function f(a, { b } = {}, c = [a = 5, b = 6]) { var a, b; return [a, b] } f(1)
//=> [5,6]

//// a function of a parameter's name is another variable
function f(a, g = () => a) { function a() {} return [typeof a, g()] } f(1)
//~~ TypeScript takes a function of a parameter's name for a mistake
//=> ["function",1]

//// parameters of a generator and of an async function
function* f(a = 1, g = () => a) { a = yield g(); yield g() } const it = f(); const h = async (a = 1, put = v => { a = v }) => { put(3); await null; const up = () => a++; up(); return a }; [it.next().value, it.next(9).value, await h()]
//=> [1,9,4]

//// a parameter before its turn
((a = b, b = 1) => a)()
//!! ReferenceError

//// three labels on one loop
const out = []; a: b: c: for (const i of [1, 2, 3]) { for (const j of [1, 2]) { if (j === 2) continue a; if (i === 3) break b; out.push(i * 10 + j); if (i === 1) continue c } } out
//=> [11,21]

//// two labels on while and do
let n = 0; a: b: while (n < 3) { n++; continue a } c: d: do { n++; if (n < 8) continue c } while (n < 10); n
//=> 10

//// continue does not take the label of a block
["a: b: { for (;;) { continue a } }", "a: { b: for (;;) { continue a } }", "a: b: for (;;) { (() => { continue a })() }", "a: b: for (;;) { break a }"].map(code => { try { Function(code); return "runs" } catch (e) { return e.name } })
//=> ["SyntaxError","SyntaxError","SyntaxError","runs"]

//// the rest of a string
const { 0: first, ...rest } = "xyz"; [first, rest, { ..."", ...5, ...true }, Object.assign({}, "ab")]
//=> ["x",{"1":"y","2":"z"},{},{"0":"a","1":"b"}]

//// counting words that objects inherit
const c = {}; for (const w of ["constructor", "toString", "__proto__", "x", "hasOwnProperty", "constructor"]) c[w] = Number.isInteger(c[w]) ? c[w] + 1 : 1; Object.keys(c)
//=> ["constructor","toString","x","hasOwnProperty"]

//// inheritance as it was before classes
function Legacy(n) { this.n = n } Legacy.prototype.get = function () { return this.n }; Legacy.prototype.toString = function () { return "L" + this.n }; function Sub(n) { Legacy.call(this, n) } Sub.prototype = Object.create(Legacy.prototype); Sub.prototype.constructor = Sub; [new Sub(3).get(), `${new Sub(4)}`, new Sub(1) instanceof Legacy, new Sub(1).constructor.name]
//=> [3,"L4",true,"Sub"]

//// an array-like that inherits from arrays
function List() { this.length = 0 } List.prototype = Object.create(Array.prototype); List.prototype.constructor = List; const l = new List(); l.push("a"); l.push("b"); l.join = () => "mine"; [l.length, l.join(), l.map(x => x + x)]
//=> [2,"mine",["aa","bb"]]

//// own properties shadow methods
const m = new Map(); m.get = () => "mine"; const a = []; a.map = 1; const f = () => {}; f.call = 2; const d = new Date(0); d.getTime = 3; [m.get(), a.map, f.call, d.getTime, Object.keys(a)]
//=> ["mine",1,2,3,["map"]]

//// assignment through super makes an own property
class A { put() { super.toString = () => "own" } } const a = new A(); a.put(); [`${a}`, Object.keys(a), `${new A()}`]
//=> ["own",["toString"],"[object Object]"]

//// Reflect.set shadows too
const o = {}; [Reflect.set(o, "valueOf", 1), o.valueOf, Reflect.set({}, "constructor", 2, o), o.constructor, Reflect.set(Object.freeze({}), "constructor", 1)]
//=> [true,1,true,2,false]

//// what is frozen by the program stays
const o = Object.create(Object.freeze({ a: 1 })); o.a = 2
//!! TypeError

//// return closes a generator through its finally
function* g() { const r = yield 1; try { yield r * 2 } finally { yield "f" } } const it = g(); [it.next(), it.next(5), it.return(9), it.next(), it.next()]
//=> [{"value":1,"done":false},{"value":10,"done":false},{"value":"f","done":false},{"value":9,"done":true},{"value":{"$":"undefined"},"done":true}]

//// breaking a loop closes an async generator
const log = []; const ac = async function* () { try { yield 1; yield 2 } finally { log.push("cleanup") } }; for await (const x of ac()) { log.push(x); break } log
//=> [1,"cleanup"]

//// an endless generator is closed by who takes
let closed = false; function* take(n, it) { let i = 0; for (const x of it) { if (i++ >= n) return; yield x } } function* nat() { let n = 0; try { while (true) yield n++ } finally { closed = true } } [[...take(3, nat())], closed]
//=> [[0,1,2],true]

//// for await over promises and values
const out = []; for await (const x of [Promise.resolve(1), 2, Promise.resolve(3)]) out.push(x); out
//=> [1,2,3]

//// private names, static and not
class A { #x = 1; static #n = 0; static s = A.#n + 5; get x() { return this.#x } set x(v) { this.#x = v; A.#n++ } static get n() { return A.#n } #p() { return this.#x * 2 } p() { return this.#p() } static { A.z = "init" } has(o) { return #x in o } } const a = new A(); a.x = 4; [a.x, A.n, A.s, a.p(), A.z, a.has(a), a.has({})]
//=> [4,1,5,8,"init",true,false]

//// fields with every kind of name
class B { y = this.constructor.name; ["comp" + "uted"] = 3; "quoted" = 4; 5 = 6; static = 7; async = 8; get = 9 } const b = new B(); [b.y, b.computed, b.quoted, b[5], b.static, b.async, b.get]
//=> ["B",3,4,6,7,8,9]

//// a mixin
const mixin = B => class extends B { hi() { return "hi " + this.name } }; class N { name = "n" } class M extends mixin(N) {} [new M().hi(), M.name]
//=> ["hi n","M"]

//// species of an array class
class MyArr extends Array { static get [Symbol.species]() { return Array } sum() { return this.reduce((a, b) => a + b, 0) } } const m = MyArr.from([1, 2, 3]); [m.sum(), m instanceof MyArr, m.map(x => x) instanceof MyArr, m.filter(Boolean).constructor.name]
//=> [6,true,false,"Array"]

//// symbols that a class answers to
class T { static [Symbol.hasInstance](x) { return x === 1 } get [Symbol.toStringTag]() { return "TT" } [Symbol.toPrimitive](h) { return h === "number" ? 42 : h } } [1 instanceof T, String(new T()), `${new T()}`, +new T(), new T() + "", Object.prototype.toString.call(new T())]
//=> [true,"string","string",42,"default","[object TT]"]

//// named groups, and the same name twice
const m = "2024-03-15".match(/(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/); [{ ...m.groups }, "2024-03-15".replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, "$<d>/$<m>/$<y>")]
//=> [{"y":"2024","m":"03","d":"15"},"15/03/2024"]

//// looking behind
["$100 €200".match(/(?<=\$)\d+/)[0], "a1b2".replace(/(?<!a)\d/g, "X"), "price: 5".replace(/(?<=: )\d/, d => d * 2)]
//=> ["100","a1bX","price: 10"]

//// sets in regular expressions
[/\p{Lu}/u.test("É"), "héllo wörld".match(/\p{L}+/gu), /[\p{L}--[a-z]]/v.test("a"), /[\p{L}--[a-z]]/v.test("B"), /^\p{RGI_Emoji}$/v.test("👨‍👩‍👧")]
//=> [true,["héllo","wörld"],false,true,true]

//// where groups begin and end
const r = /a(?<n>b)?/dg; const m = r.exec("xab"); [m.indices[0], m.indices.groups.n, r.lastIndex, r.flags, r.hasIndices]
//=> [[1,3],[2,3],3,"dg",true]

//// a sticky expression
const r = /o/y; r.lastIndex = 1; [r.test("foo"), r.lastIndex, r.test("foo"), r.test("foo"), r.lastIndex]
//=> [true,2,true,false,0]

//// replaceAll in every form
["aaa".replaceAll("a", "b"), "a.b.c".replaceAll(".", () => "-"), "x1y2".replaceAll(/\d/g, d => d * 2), "abc".replaceAll("", "-"), "John Smith".replace(/(\w+)\s(\w+)/, "$2, $1 [$&] $$")]
//=> ["bbb","a-b-c","x2y4","-a-b-c-","Smith, John [John Smith] $"]

//// numbers as text
[(1.005).toFixed(2), (1.45).toFixed(1), (1e21).toFixed(2), (-1.5).toFixed(0), (2.5).toFixed(0), (123.456).toPrecision(4), (0.00001).toPrecision(1), (1234.5678).toExponential(2), (255).toString(16), 0.1 + 0.2, 1e21, 1e-7, (25).toString(36), (1.255).toFixed(2), (10.235).toFixed(2), (1000000000000000128).toFixed(0), (1e-10).toFixed(12)].map(String)
//=> ["1.00","1.4","1e+21","-2","3","123.5","0.00001","1.23e+3","ff","0.30000000000000004","1e+21","1e-7","p","1.25","10.23","1000000000000000128","0.000000000100"]

//// text as numbers
[Number(""), Number(" 12 "), Number("0x1f"), Number("1_000"), Number(null), Number([5]), parseInt("12px"), parseFloat(".5.5"), parseInt("0x1f"), parseInt("101", 2), +[], +{}, Number("0b101"), parseInt(""), parseInt("1e3"), parseInt("08")].map(String)
//=> ["0","12","31","NaN","0","5","12","0.5","31","5","0","NaN","5","NaN","1","8"]

//// dates in many forms
["2024-01-15", "2024-01-15T10:00", "2024-01-15T10:00:00+02:00", "2024-01", "2024", "Jan 15, 2024", "January 15, 2024 10:30 AM", "15 Jan 2024", "1/15/2024", "01/15/2024 3:45 PM", "2024/01/15", "Mon, 15 Jan 2024 10:00:00 GMT", "2024-01-15 10:00:00", "not a date", "2024-13-01", "15 January 2024", "15-Jan-2024", "2024-01-15T10:00:00.5Z", "Tue Mar 01 2022 14:00:00 GMT-0500 (EST)"].map(s => { const t = Date.parse(s); return isNaN(t) ? "NaN" : new Date(t).toISOString() })
//=> ["2024-01-15T00:00:00.000Z","2024-01-15T10:00:00.000Z","2024-01-15T08:00:00.000Z","2024-01-01T00:00:00.000Z","2024-01-01T00:00:00.000Z","2024-01-15T00:00:00.000Z","2024-01-15T10:30:00.000Z","2024-01-15T00:00:00.000Z","2024-01-15T00:00:00.000Z","2024-01-15T15:45:00.000Z","2024-01-15T00:00:00.000Z","2024-01-15T10:00:00.000Z","2024-01-15T10:00:00.000Z","NaN","NaN","2024-01-15T00:00:00.000Z","2024-01-15T00:00:00.000Z","2024-01-15T10:00:00.500Z","2022-03-01T19:00:00.000Z"]

//// arithmetic with dates
const d = new Date("2024-01-31T00:00:00Z"); d.setUTCMonth(1); const e = new Date("2024-03-10T12:00:00Z"); e.setUTCDate(0); [d.toISOString(), e.toISOString(), e - d, e > d, typeof (d + 1), new Date(Date.UTC(2024, 2, 0)).getUTCDate(), Math.floor((new Date("2024-12-25") - new Date("2024-01-01")) / 864e5)]
//=> ["2024-03-02T00:00:00.000Z","2024-02-29T12:00:00.000Z",-129600000,false,"string",29,359]

//// texts of a date
const d = new Date(0); [d.toUTCString(), d.toDateString(), d.toJSON(), String(new Date(NaN)), JSON.stringify({ d: new Date(NaN) })]
//=> ["Thu, 01 Jan 1970 00:00:00 GMT","Thu Jan 01 1970","1970-01-01T00:00:00.000Z","Invalid Date","{\"d\":null}"]

//// dates and numbers for American readers
const d = new Date(Date.UTC(2024, 0, 15, 13, 5, 9)), o = { timeZone: "UTC" }; [d.toLocaleDateString("en-US", o), d.toLocaleDateString("en-US", { ...o, weekday: "long", year: "numeric", month: "long", day: "numeric" }), d.toLocaleDateString("en-US", { ...o, month: "short", day: "numeric" }), (1234567.891).toLocaleString("en-US"), (1234567.891).toLocaleString("en-US", { style: "currency", currency: "USD" }), (0.256).toLocaleString("en-US", { style: "percent" }), (1234.5).toLocaleString("en-US", { minimumFractionDigits: 2 })]
//=> ["1/15/2024","Monday, January 15, 2024","Jan 15","1,234,567.891","$1,234,567.89","26%","1,234.50"]

//// normal forms
["\u00e9" === "e\u0301".normalize(), "é".normalize("NFD").length, "ﬁ".normalize("NFKD"), "Crème Brûlée".normalize("NFD").replace(/[\u0300-\u036f]/g, "")]
//=> [true,2,"fi","Creme Brulee"]

//// JSON leaves out what it cannot say
[JSON.stringify({ a: undefined, b: () => 1, c: Symbol("x"), d: NaN, e: -0, f: Infinity, g: new Date(0), h: [undefined, () => 1], i: null }), JSON.stringify("\ud800\"\\"), JSON.stringify({ a: [1, { b: 2 }] }, null, 2), JSON.stringify([], null, 2), JSON.stringify(new Map([[1, 2]]))]
//=> ["{\"d\":null,\"e\":0,\"f\":null,\"g\":\"1970-01-01T00:00:00.000Z\",\"h\":[null,null],\"i\":null}","\"\\ud800\\\"\\\\\"","{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ]\n}","[]","{}"]

//// JSON with a list, a function and a width
[JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ["a", "b"]), JSON.stringify({ a: 1, b: 2 }, (k, v) => typeof v === "number" ? v * 2 : v), JSON.parse('{"a":[1,2,{"b":3}]}', (k, v) => Array.isArray(v) ? v.length : v), JSON.stringify({ toJSON() { return "tj" } }), JSON.stringify({ a: 1 }, null, "--"), Object.keys(JSON.parse('{"b":1,"a":2,"1":3}'))]
//=> ["{\"a\":1,\"b\":{\"a\":2}}","{\"a\":2,\"b\":4}",{"a":3},"\"tj\"","{\n--\"a\": 1\n}",["1","b","a"]]

//// big integers
[2n ** 64n, -7n / 2n, -7n % 3n, BigInt("0xff"), BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), 5n > 4, 1n == 1, (123n).toString(16), BigInt(Number.MAX_SAFE_INTEGER) + 2n, 10n << 3n]
//=> [{"$":"bigint","value":"18446744073709551616"},{"$":"bigint","value":"-3"},{"$":"bigint","value":"-1"},{"$":"bigint","value":"255"},{"$":"bigint","value":"1"},{"$":"bigint","value":"-1"},true,true,"7b",{"$":"bigint","value":"9007199254740993"},{"$":"bigint","value":"80"}]

//// typed arrays round and clamp
[[...new Uint8Array([1, 2, 300, -1])], [...new Uint8ClampedArray([-5, 300, 1.5])], new Float32Array([1.1])[0], [...new Uint16Array(new Uint8Array([1, 2]))], [...new Uint8Array([1, 2, 3]).subarray(1).map(x => x * 100)]]
//=> [[1,2,44,255],[0,255,2],1.100000023841858,[1,2],[200,44]]

//// a map grows while it is walked
const out = []; const m = new Map([[1, 1], [2, 2]]); for (const [k] of m) { out.push(k); if (k < 5) m.set(k + 2, 0) } out
//=> [1,2,3,4,5,6]

//// a proxy that makes things up
const p = new Proxy({}, { get: (t, k) => k in t ? t[k] : `no_${String(k)}`, has: () => true, set(t, k, v) { t[k] = v * 2; return true }, ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) }); p.x = 5; [p.x, p.y, "q" in p, Object.keys(p), { ...p }]
//=> [10,"no_y",true,["a"],{"a":"no_a"}]

//// which conversion is asked for
const t = []; const o = { valueOf() { t.push("v"); return 1 }, toString() { t.push("s"); return "s" } }; `${o}`; o + 1; o * 1; o == 1; [o].join(); t
//=> ["s","v","v","v","s"]

//// words that are not reserved
const of = 1, get = 2, set = 3, type = 4, as = 5, from = 6, async = 7, target = 8; const o = { if: 1, class: 2, new: 3, async, get, set, static: 8, of, yield: 10 }; [of + get + set + type + as + from + async + target, Object.keys(o).length]
//=> [36,9]

//// async as a parameter in every place
[(async => async)(1), [2].map(async => async)[0], ((async, b) => async)(3), (function (async) { return async })(4), await (async async => async)(5), ((async = 6) => async)()]
//=> [1,2,3,4,5,6]

//// structuredClone keeps kinds and cycles
const o = { d: new Date(0), m: new Map([[1, { a: new Set([1]) }]]), r: /x/gi, u: undefined, b: 10n, arr: [1, , 3] }; o.self = o; const c = structuredClone(o); [c.d.getTime(), c.m.get(1).a.has(1), c.r.flags, c.self === c, c.b, 1 in c.arr, "u" in c]
//=> [0,true,"gi",true,{"$":"bigint","value":"10"},false,true]

//// a stack begins with the error
class Mine extends Error { constructor(m) { super(m); this.name = "Mine" } } try { throw new Mine("why") } catch (e) { console.log(e.stack.split("\n")[0]); console.log(/\n    at /.test(e.stack)) }
//>> Mine: why
//>> true
//=> undefined

//// what is not a function has a name
const o = { a: {}, list: [{}] }, k = "key"; [() => o.go(1, 2), () => o.a.go(o.a ? 1 : 2), () => o[k](), () => o.list[0].go(...[1]), () => o.list.map(x => x).go(), () => new o.a.Thing(), () => k()].map(f => { try { f() } catch (e) { return e.message } })
//=> ["o.go is not a function","o.a.go is not a function","o[k] is not a function","o.list[0].go is not a function","o.list.map(...).go is not a function","o.a.Thing is not a constructor","k is not a function"]

//// what is not iterable has a name
const o = { rows: null, n: 5 }; [() => { for (const x of o.rows); }, () => [...o.n], () => { for (const [a, b] of o); }].map(f => { try { f() } catch (e) { return e.message } })
//=> ["o.rows is not iterable","o.n is not iterable","o is not iterable"]

//// why no promise was any
try { await Promise.any([Promise.reject(new Error("a")), Promise.reject(2)]) } catch (e) { console.log(`${e.name}: ${e.message}`, e.errors.length) }
//>> AggregateError: All promises were rejected 2
//=> undefined
