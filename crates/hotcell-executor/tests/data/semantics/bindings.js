//// array destructuring
const [a, , b, ...rest] = [1, 2, 3, 4, 5]; [a, b, rest]
//=> [1,3,[4,5]]

//// object destructuring
const { a, b: { c, d = 4 }, ...rest } = { a: 1, b: { c: 3 }, e: 5, f: 6 }; [a, c, d, rest]
//=> [1,3,4,{"e":5,"f":6}]

//// defaults are evaluated only if needed
let n = 0; const f = () => ++n; const { a = f(), b = f() } = { a: 1 }; const [c = f()] = [null]; [a, b, c, n]
//=> [1,1,null,1]

//// defaults see earlier names
const { a, b = a * 2, c = a + b } = { a: 1 }; [a, b, c]
//=> [1,2,3]

//// defaults do not see later names
const { a = b, b } = { b: 1 }
//!! ReferenceError

//// computed keys
const k = "x"; const { [k]: a, [`${k}y`]: b = 2, [k + 1]: { z } = { z: 3 } } = { x: 1 }; [a, b, z]
//=> [1,2,3]

//// destructuring assignment
let a = 1, b = 2; [a, b] = [b, a]; ({ a, b: [b] } = { a: a * 10, b: [b * 10] }); [a, b]
//=> [20,10]

//// destructuring assignment to members
const o = { list: [] }; [o.x, o["y"], ...o.list] = [1, 2, 3, 4]; ({ p: o.p, ...o.rest } = { p: 5, q: 6 }); o
//=> {"list":[3,4],"x":1,"y":2,"p":5,"rest":{"q":6}}

//// the value of a destructuring assignment is the source
let a; const r = ([a] = [1, 2, 3]); r
//=> [1,2,3]

//// the order of evaluation
const log = []; const k = n => (log.push(n), n); const o = {}
;({ [k("a")]: o[k("b")] = k("c") } = { get a() { log.push("get"); return undefined } }); log
//=> ["a","b","get","c"]

//// destructuring from a string and a number
const { length, 0: first } = "hey"; const { toFixed } = 1; [length, first, typeof toFixed]
//=> [3,"h","function"]

//// destructuring null
const { a } = null
//!! TypeError

//// destructuring what is not iterable
const [a] = {}
//!! TypeError

//// array patterns close their iterator
const log = []; const it = { [Symbol.iterator]() { let i = 0; return { next: () => ({ value: i++, done: false }), return() { log.push("closed"); return {} } } } }
const [a, b] = it; const [] = it; log.push(a, b); log
//=> ["closed","closed",0,1]

//// parameters
function f({ a, b = 2 } = {}, [c = 3] = [], ...[d, e]) { return [a, b, c, d, e] } f({ a: 1 }, undefined, 4, 5)
//=> [1,2,3,4,5]

//// parameters see each other
const f = (a, b = a, c = () => a + b) => { a = 10; return [a, b, c()] }; f(1)
//=> [10,1,11]

//// parameters have a scope of their own
var x = "outer"; const f = (g = () => x) => { var x = "inner"; return g() + x }; f()
//=> "outerinner"

//// length of functions
[((a, b) => 1).length, ((a, b = 1, c) => 1).length, ((...r) => 1).length, (({ a }, [b]) => 1).length]
//=> [2,1,0,2]

//// arguments
function f(a) { a = 9; return [arguments.length, arguments[0], [...arguments].join()] } f(1, 2)
//=> [2,1,"1,2"]

//// an arrow takes the arguments of its function
function f() { return (() => arguments[0])() } f(7)
//=> 7

//// names of functions
const a = () => {}, { b = function () {} } = {}, o = { c() {}, get d() { return 1 }, ["e" + 1]: () => {}, [Symbol("s")]: () => {} };
[a.name, b.name, o.c.name, o.e1.name, o[Object.getOwnPropertySymbols(o)[0]].name, (class X {}).name, (() => {}).name]
//=> ["a","b","c","e1","[s]","X",""]

//// functions are hoisted
const r = f(); function f() { return "hoisted" } r
//=> "hoisted"

//// var is hoisted
const before = typeof v; var v = 1; [before, v]
//=> ["undefined",1]

//// the last function of a name counts
function f() { return 1 } const r = f(); function f() { return 2 } r
//=> 2

//// let has a dead zone
x; let x = 1
//!! ReferenceError

//// the dead zone holds for typeof
typeof x; let x = 1
//!! ReferenceError

//// the dead zone in a closure ends
const f = () => x; let x = 5; f()
//=> 5

//// the dead zone in a block hides the outer one
let x = 1; { const f = () => x; let r; try { r = f() } catch (e) { r = e.name } let x = 2; [r, f()] }
//=> ["ReferenceError",2]

//// the dead zone of a class
new A(); class A {}
//!! ReferenceError

//// the dead zone of parameters
const f = (a = b, b) => a; f(undefined, 1)
//!! ReferenceError

//// const refuses assignment
const c = 1; c = 2
//!! TypeError

//// const refuses in a closure and in destructuring
const c = 1; let r = []; try { (() => { c++ })() } catch (e) { r.push(e.name) } try { [c] = [2] } catch (e) { r.push(e.name) } r
//=> ["TypeError","TypeError"]

//// the name of a function expression is fixed
const f = function g() { g = 1 }; f()
//!! TypeError

//// the name of a class is fixed inside
class A { static m() { A = 1 } } A.m()
//!! TypeError

//// functions in blocks stay there
{ function f() { return 1 } } typeof f
//=> "undefined"

//// functions in blocks are hoisted in the block
{ const r = f(); function f() { return "in" } r }
//=> "in"

//// switch cases share a scope
switch (1) { case 0: let x = "zero"; case 1: x = "one"; x }
//!! ReferenceError

//// switch with strict comparison and default in the middle
const f = x => { switch (x) { case "1": return "string"; default: return "default"; case 1: return "number" } }; [f(1), f("1"), f(2)]
//=> ["number","string","default"]

//// switch evaluates cases in order
const log = []; const c = n => (log.push(n), n); switch (2) { case c(1): case c(2): case c(3): } log
//=> [1,2]

//// switch falls through default
const f = x => { let r = ""; switch (x) { case 1: r += 1; default: r += "d"; case 2: r += 2 } return r }; [f(1), f(2), f(9)]
//=> ["1d2","2","d2"]

//// catch without a binding and with a pattern
const r = []; try { throw 1 } catch { r.push("plain") } try { throw { a: [1, 2] } } catch ({ a: [, b] }) { r.push(b) } r
//=> ["plain",2]

//// catch shadows
let e = "outer"; try { throw "inner" } catch (e) { e = "changed" } e
//=> "outer"

//// this at the top level and in functions
[typeof this, this === globalThis, (function () { return this })(), (() => this === globalThis)()]
//=> ["object",true,{"$":"undefined"},true]

//// this is not boxed
Number.prototype.valueOf.call(5) + (function () { return typeof this }).call(5)
//=> "5number"

//// call, apply, bind
function f(...a) { return [this.n, ...a] } const o = { n: 1 }; [f.call(o, 2), f.apply(o, [3]), f.bind(o, 4)(5), f.bind(o).name, f.bind(o, 1).length]
//=> [[1,2],[1,3],[1,4,5],"bound f",0]

//// closures count
const counter = () => { let n = 0; return { inc: () => ++n, get n() { return n } } }; const c = counter(), d = counter(); c.inc(); c.inc(); d.inc(); [c.n, d.n]
//=> [2,1]

//// immediately invoked in every way
[(function () { return 1 })(), (function () { return 2 }()), (() => 3)(), +function () { return 4 }(), !function () {}(), new (function () { this.a = 5 })().a]
//=> [1,2,3,4,true,5]

//// recursion
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2); fib(15)
//=> 610

//// mutual recursion
function even(n) { return n === 0 || odd(n - 1) } function odd(n) { return n !== 0 && even(n - 1) } even(100)
//=> true

//// recursion without end is a RangeError that can be caught
let r; try { (function f() { return 1 + f() })() } catch (e) { r = e instanceof RangeError } r
//=> true

//// direct eval sees the scope and keeps its own
let x = 1; const r = eval("let y = x + 1; var z = y; y"); [r, typeof y, typeof z]
//=> [2,"undefined","undefined"]

//// direct eval changes what it sees
let x = 1; eval("x = 5"); x
//=> 5

//// indirect eval sees the globals
globalThis.gx = 3; const f = () => { let gx = 4; return [eval("gx"), (0, eval)("gx")] }; f()
//=> [4,3]

//// eval gives completion values
[eval("1;2"), eval("{}"), eval("if (1) 5"), eval("({a:1})").a, eval(""), eval(7)]
//=> [2,{"$":"undefined"},5,1,{"$":"undefined"},7]

//// Function makes functions
const add = new Function("a", "b = 2", "return a + b"); [add(1), Function("return typeof this")(), add.name, new Function("...r", "return r.length")(1, 2, 3)]
//=> [3,"object","anonymous",3]

//// Function cannot see local names
let hidden = 1; { let inner = 2; Function("return typeof inner")() }
//=> "undefined"

//// constructors of other functions
const G = Object.getPrototypeOf(function* () {}).constructor, A = Object.getPrototypeOf(async () => {}).constructor
[[...G("yield 1; yield 2")()], await A("x", "return await x")(3)]
//-- SES takes these constructors away
//!! TypeError

//// a getter for a global
Object.defineProperty(globalThis, "gg", { get: () => 42, configurable: true }); gg
//=> 42

//// toString of functions shows their text
[(function  f ( a ) { /* c */ return a }).toString(), (x=>x).toString(), class  A { m ( ) { } }.toString(), ({ get  a ( ) { return 1 } }, Object.getOwnPropertyDescriptor({ get  a ( ) { return 1 } }, "a").get.toString())]
//=> ["function  f ( a ) { /* c */ return a }","x=>x","class  A { m ( ) { } }","get  a ( ) { return 1 }"]

//// toString of a function with a loop is as it was written
(() => { for (;;) { while (0); break } }).toString()
//=> "() => { for (;;) { while (0); break } }"

//// comma in for and var in a function do not leak
const f = () => { for (var i = 0, n = 0; i < 3; i++, n += i); return [i, n] }; [f(), typeof n]
//=> [[3,6],"undefined"]

//// shadowing many levels
let x = 1; { let x = 2; { var f = () => x; let y = x; { let x = 3; y = x } } } [x, f()]
//=> [1,2]

//// a parameter and a var of one name
function f(a) { var a; return a } function g(a) { var a = 2; return a } [f(1), g(1)]
//=> [1,2]

//// a function and a parameter of one name
function f(a) { function a() {} return typeof a } f(1)
//~~ there the name is declared twice
//=> "function"

//// globalThis holds var and function, not let
var gv = 1; let gl = 2; function gf() {} [globalThis.gv, globalThis.gl, typeof globalThis.gf]
//=> [1,{"$":"undefined"},"function"]

//// words that are names of what objects inherit
const counts = {}; for (const word of ["constructor", "valueOf", "toString", "x"]) counts[word] = (Object.hasOwn(counts, word) ? counts[word] : 0) + 1
Object.keys(counts)
//=> ["constructor","valueOf","toString","x"]
