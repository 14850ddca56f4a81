//// symbols
const s = Symbol("d"); const o = { [s]: 1, [Symbol.for("k")]: 2 }; [s.description, s.toString(), o[s], o[Symbol.for("k")], Symbol.keyFor(Symbol.for("k")), Object.keys(o).length, Symbol("a") === Symbol("a")]
//=> ["d","Symbol(d)",1,2,"k",0,false]

//// Symbol.toStringTag and Symbol.isConcatSpreadable
const o = { get [Symbol.toStringTag]() { return "Mine" } }; [`${o}`, [1].concat({ length: 1, 0: 2, [Symbol.isConcatSpreadable]: true })]
//=> ["[object Mine]",[1,2]]

//// property order
Object.keys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol()]: 1, "-1": 1, "01": 1 })
//=> ["1","2","b","a","-1","01"]

//// property descriptors
const o = Object.defineProperty({}, "x", { value: 1 }); [Object.getOwnPropertyDescriptor(o, "x"), Object.keys(o), delete { x: 1 }.x]
//=> [{"value":1,"writable":false,"enumerable":false,"configurable":false},[],true]

//// writing what is read-only
const o = Object.freeze({ x: 1 }); o.x = 2
//!! TypeError

//// adding to what is sealed
const o = Object.seal({ x: 1 }); o.x = 2; let r; try { o.y = 1 } catch (e) { r = e.name } let d; try { delete o.x } catch (e) { d = e.name } [o.x, r, d]
//=> [2,"TypeError","TypeError"]

//// property of null
null.x
//!! TypeError

//// property of undefined in a chain
const o = {}; o.a.b.c
//!! TypeError

//// writing a property of a primitive
const s = "s"
s.x = 1
//!! TypeError

//// Proxy get, set, has, delete
const log = []; const p = new Proxy({ a: 1 }, { get: (t, k) => (log.push("get " + String(k)), t[k]), set(t, k, v) { log.push("set " + k); t[k] = v; return true }, has: (t, k) => (log.push("has " + k), k in t), deleteProperty(t, k) { log.push("delete " + k); return delete t[k] } })
p.a; p.b = 2; "a" in p; delete p.a; log
//=> ["get a","set b","has a","delete a"]

//// Proxy of a function
const p = new Proxy(function (a) { return a }, { apply: (f, t, args) => f(...args) * 2, construct: (f, args) => ({ made: args }) }); [p(4), new p(1, 2)]
//=> [8,{"made":[1,2]}]

//// Proxy ownKeys and descriptors
const p = new Proxy({}, { ownKeys: () => ["x", "y"], getOwnPropertyDescriptor: (t, k) => ({ value: k + "!", enumerable: true, configurable: true }), get: (t, k) => k + "?" }); [Object.keys(p), { ...p }]
//=> [["x","y"],{"x":"x?","y":"y?"}]

//// Proxy that refuses
const p = new Proxy({}, { set: () => false }); p.x = 1
//!! TypeError

//// a revoked proxy
const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy.x
//!! TypeError

//// Reflect
const o = { a: 1, get b() { return this.c } }; [Reflect.get(o, "b", { c: 5 }), Reflect.has(o, "a"), Reflect.ownKeys(o), Reflect.apply(Math.max, null, [1, 2]), Reflect.construct(Array, [1, 2]), Reflect.set(Object.freeze({}), "x", 1)]
//=> [5,true,["a","b"],2,[1,2],false]

//// Reflect.construct with another target
class A { constructor() { this.t = new.target.name } } class B {} const o = Reflect.construct(A, [], B); [o.t, o instanceof B]
//=> ["B",true]

//// Object statics
[Object.entries({ a: 1 }), Object.fromEntries([["x", 1]]), Object.assign({ a: 1 }, { b: 2 }, null), Object.values("ab"), Object.is(NaN, NaN), Object.hasOwn({ q: 1 }, "q")]
//=> [[["a",1]],{"x":1},{"a":1,"b":2},["a","b"],true,true]

//// Object.groupBy and Map.groupBy
[Object.groupBy([1, 2, 3], n => n % 2 ? "odd" : "even"), [...Map.groupBy([1, 2, 3], n => n > 1)].length]
//-- Node 20 has no groupBy
//=> [{"odd":[1,3],"even":[2]},2]

//// prototypes
const p = { hi() { return "hi " + this.n } }; const o = Object.create(p, { n: { value: 1, enumerable: true } }); [o.hi(), Object.getPrototypeOf(o) === p, p.isPrototypeOf(o), o.hasOwnProperty("hi")]
//=> ["hi 1",true,true,false]

//// an own property may shadow a frozen one
const o = {}; o.toString = () => "mine"; o.constructor = 5; [`${o}`, o.constructor]
//=> ["mine",5]

//// a class may shadow inherited names
class A { toString() { return "A!" } valueOf() { return 7 } } const a = new A(); a.hasOwnProperty = 1; [`${a}`, a + 1, a.hasOwnProperty]
//=> ["A!",8,1]

//// an error takes another name and message
const e = new Error("m"); e.name = "Other"; e.message = "n"; e.extra = 1; [`${e}`, e.extra]
//=> ["Other: n",1]

//// a function takes properties
function f() {} f.count = 1; f.toString = () => "f!"; [f.count++, f.count, `${f}`]
//=> [1,2,"f!"]

//// a prototype of a built-in cannot be changed
Array.prototype.mine = 1
//-- lockdown: primordials are frozen
//!! TypeError

//// a built-in cannot be replaced on its owner
Math.max = () => 1
//-- lockdown: primordials are frozen
//!! TypeError

//// Map
const m = new Map([["a", 1]]); m.set("b", 2).set(NaN, 3); m.delete("a"); [m.size, m.get(NaN), [...m.entries()].length, m.has("a")]
//=> [2,3,2,false]

//// Map in insertion order with changes on the way
const m = new Map([[1, 1], [2, 2]]); const out = []; for (const [k] of m) { out.push(k); if (k < 4) m.set(k + 2, 0); m.delete(1) } out
//=> [1,2,3,4,5]

//// Set
const s = new Set([3, 1, 3, NaN, NaN, 0, -0]); [[...s].length, s.has(NaN), s.has(-0)]
//=> [4,true,true]

//// Set methods
const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]); [[...a.union(b)], [...a.intersection(b)], [...a.difference(b)], [...a.symmetricDifference(b)], a.isSubsetOf(b)]
//-- Node 20 has no set methods
//=> [[1,2,3,4],[2,3],[1],[1,4],false]

//// a Map and a Set come out
[new Map([["k", { a: 1 }]]), new Set([1, "x"])]
//=> [{"$":"map","entries":[["k",{"a":1}]]},{"$":"set","values":[1,"x"]}]

//// WeakMap, WeakSet, WeakRef
const k = {}; const w = new WeakMap([[k, 1]]), s = new WeakSet([k]); [w.get(k), s.has(k), w.has({}), new WeakRef(k).deref() === k]
//=> [1,true,false,true]
//-- lockdown takes WeakRef away

//// typed arrays
const u = new Uint8Array([1, 256, -1]); const f = new Float32Array([0.1]); [[...u], f[0] === 0.1, u.length, u.subarray(1).byteOffset, [...new Uint8ClampedArray([300, -5, 1.5])]]
//=> [[1,0,255],false,3,1,[255,0,2]]

//// typed array methods
const a = Int16Array.from([3, 1, 2]); [[...a.toSorted()], [...a], a.indexOf(1), a.join("-"), [...a.map(x => x * 2)], [...a.with(0, 9)], a.at(-1)]
//=> [[1,2,3],[3,1,2],1,"3-1-2",[6,2,4],[9,1,2],2]

//// writing beyond a typed array does nothing
const u = new Uint8Array(2); u[5] = 1; [u[5], u.length]
//=> [{"$":"undefined"},2]

//// DataView and byte order
const d = new DataView(new ArrayBuffer(8)); d.setUint16(0, 0x1234); d.setFloat32(4, 1.5, true); [d.getUint8(0), d.getUint16(0, true), d.getFloat32(4, true)]
//=> [18,13330,1.5]

//// ArrayBuffer slice and resize
const b = new ArrayBuffer(4, { maxByteLength: 8 }); const u = new Uint8Array(b); b.resize(8); [u.length, b.slice(2, 4).byteLength, ArrayBuffer.isView(u)]
//=> [8,2,true]

//// bytes come out
new Uint8Array([104, 105])
//=> {"$":"bytes","base64":"aGk="}

//// JSON
[JSON.stringify({ a: [1, undefined, () => 1], b: undefined, c: NaN, d: "é\n\ud800" }), JSON.parse('{"x":[1,{"y":null}]}'), JSON.stringify({ a: 1, b: [1] }, null, 2)]
//=> ["{\"a\":[1,null,null],\"c\":null,\"d\":\"é\\n\\ud800\"}",{"x":[1,{"y":null}]},"{\n  \"a\": 1,\n  \"b\": [\n    1\n  ]\n}"]

//// JSON with replacer and reviver
[JSON.stringify({ a: 1, b: 2 }, ["a"]), JSON.stringify({ a: 1, s: "x" }, (k, v) => typeof v === "number" ? v * 2 : v), JSON.parse("[1,2]", (k, v) => typeof v === "number" ? v + 1 : v)]
//=> ["{\"a\":1}","{\"a\":2,\"s\":\"x\"}",[2,3]]

//// JSON that is broken
JSON.parse("{bad}")
//!! SyntaxError

//// JSON of a cycle
const o = {}; o.o = o; JSON.stringify(o)
//!! TypeError

//// JSON of a bigint
JSON.stringify({ a: 1n })
//!! TypeError

//// structuredClone
const o = { d: new Date(0), m: new Map([[1, new Set([2])]]), r: /x/gi, u: new Uint8Array([1]), e: new RangeError("m") }; o.self = o; const c = structuredClone(o); [c !== o, c.self === c, c.d.getTime(), [...c.m.get(1)], c.r.flags, c.u[0], c.e.name]
//=> [true,true,0,[2],"gi",1,"RangeError"]

//// structuredClone of a function
structuredClone(() => 1)
//!! DataCloneError

//// an object with a cycle comes out
const o = { a: 1 }; o.self = o; o
//=> {"$":"def","id":0,"value":{"a":1,"self":{"$":"ref","id":0}}}

//// the same object twice comes out as the same
const x = { n: 1 }; [x, x]
//=> [{"$":"def","id":1,"value":{"n":1}},{"$":"ref","id":1}]

//// dates come out
new Date(Date.UTC(2024, 0, 31, 12))
//=> {"$":"date","value":"2024-01-31T12:00:00.000Z"}

//// date arithmetic
const d = new Date("2024-02-28T00:00:00Z"); d.setUTCDate(d.getUTCDate() + 2); [d.toISOString(), d.getUTCDay(), Date.parse("1970-01-02"), new Date(NaN).getTime(), JSON.stringify(d)]
//=> ["2024-03-01T00:00:00.000Z",5,86400000,{"$":"number","value":"NaN"},"\"2024-03-01T00:00:00.000Z\""]

//// an invalid date throws
new Date("nonsense").toISOString()
//!! RangeError

//// the clock is off
Date.now()
//-- hotcell: clock and chance are off by default
//!! TypeError

//// the clock is off for new Date as well
new Date()
//-- hotcell: clock and chance are off by default
//!! TypeError

//// chance is off
Math.random()
//-- hotcell: clock and chance are off by default
//!! TypeError

//// Math
[Math.hypot(3, 4), Math.sign(-2), Math.trunc(-1.5), Math.cbrt(27), Math.clz32(1), Math.fround(0.5), Math.round(-0.5), Math.max(), Math.imul(3, 4), Math.log2(8)]
//=> [5,-1,-1,3,31,0.5,{"$":"number","value":"-0"},{"$":"number","value":"-Infinity"},12,3]

//// numbers to strings
[(255).toString(16), (0.1).toFixed(20), (1234.5678).toFixed(2), (1e21).toString(), (123.456).toPrecision(4), (0.00001).toString(), (25).toString(36), (1234.5).toExponential(2)]
//=> ["ff","0.10000000000000000555","1234.57","1e+21","123.5","0.00001","p","1.23e+3"]

//// strings to numbers
[parseInt("42px"), parseInt("0x1f"), parseInt("z", 36), parseFloat("3.14abc"), Number(""), Number(" 12 "), Number("1_0"), Number("0b11"), +[], +{}]
//=> [42,31,35,3.14,0,12,{"$":"number","value":"NaN"},3,0,{"$":"number","value":"NaN"}]

//// Number statics
[Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, isNaN("x"), Number.isNaN("x")]
//=> [true,false,true,9007199254740991,true,false]
