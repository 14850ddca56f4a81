//// fields
class A { a = 1; b = this.a + 1; ["c" + 1] = 3; "d e" = 4; 5 = 6; f } const a = new A(); [{ ...a }, Object.keys(a)]
//=> [{"5":6,"a":1,"b":2,"c1":3,"d e":4,"f":{"$":"undefined"}},["5","a","b","c1","d e","f"]]

//// private fields and methods
class A { #x = 1; #inc() { return ++this.#x } get #y() { return this.#x * 10 } set #y(v) { this.#x = v } up() { this.#inc(); this.#y = this.#y + 1; return this.#x } } new A().up()
//=> 21

//// static members and blocks
class A { static n = 1; static #p = 2; static { this.n += A.#p; try { throw 5 } catch (e) { this.e = e } } static m() { return this.n } static get p() { return A.#p } } [A.m(), A.e, A.p]
//=> [3,5,2]

//// accessors
class T { #c = 0; get f() { return this.#c * 9 / 5 + 32 } set f(v) { this.#c = (v - 32) * 5 / 9 } get c() { return this.#c } } const t = new T(); t.f = 212; [t.c, t.f]
//=> [100,212]

//// inheritance and super
class A { constructor(x) { this.x = x } who() { return "A" + this.x } static make(x) { return new this(x) } } class B extends A { constructor(x) { super(x * 2); this.y = x } who() { return "B" + super.who() } static make(x) { return super.make(x + 1) } }
const b = B.make(1); [b.who(), b.y, b instanceof A, Object.getPrototypeOf(B) === A, B.name]
//=> ["BA4",2,true,true,"B"]

//// a derived class without a constructor
class A { constructor(...a) { this.a = a } } class B extends A {} new B(1, 2).a
//=> [1,2]

//// this before super
class A {} class B extends A { constructor() { this.x = 1; super() } } new B()
//!! ReferenceError

//// super twice
class A {} class B extends A { constructor() { super(); super() } } new B()
//!! ReferenceError

//// super in an arrow and in eval
class A { constructor() { this.made = 1 } v() { return 2 } } class B extends A { constructor() { (() => super())(); } v() { return (() => super.v() + 1)() } } [new B().made, new B().v()]
//=> [1,3]

//// new.target
class A { constructor() { this.t = new.target.name } } class B extends A {} function F() { return new.target === undefined } [new A().t, new B().t, F()]
//=> ["A","B",true]

//// abstract by new.target
class Shape { constructor() { if (new.target === Shape) throw new TypeError("abstract") } } new Shape()
//!! TypeError: abstract

//// a class is called without new
class A {} A()
//!! TypeError

//// private access from outside
class A { #x = 1; static get(o) { return o.#x } } A.get({})
//!! TypeError

//// a private name that is not declared is refused
class A { m() { return this.#nope } }
//!! SyntaxError

//// inheritance from Array
class Stack extends Array { get top() { return this.at(-1) } static get [Symbol.species]() { return Array } } const s = Stack.from([1, 2, 3]); [s.top, s.length, s instanceof Stack, s.map(x => x) instanceof Stack, Array.isArray(s)]
//=> [3,3,true,false,true]

//// inheritance from Array keeps its species
class L extends Array { sum() { return this.reduce((a, b) => a + b, 0) } } const l = L.of(1, 2, 3); [l.filter(x => x > 1).sum(), l.map(x => x * 2) instanceof L]
//=> [5,true]

//// inheritance from Error
class NotFound extends Error { name = "NotFound"; constructor(what, options) { super(`${what} not found`, options); this.what = what } } const e = new NotFound("x", { cause: 5 }); [e instanceof Error, `${e}`, e.what, e.cause]
//=> [true,"NotFound: x not found","x",5]

//// inheritance from Map and Promise
class D extends Map { get(k) { return super.get(k) ?? "default" } }
class P extends Promise {}
const d = new D([[1, 2]]); [d.get(1), d.get(9), d.size, P.resolve(1) instanceof P, await P.resolve(3).then(x => x + 1)]
//=> [2,"default",1,true,4]

//// inheritance from null and from a function
function Old(x) { this.x = x } Old.prototype.m = function () { return this.x }; class New extends Old { m() { return super.m() + 1 } } class N extends null { static s() { return 1 } } [new New(1).m(), N.s(), Object.getPrototypeOf(N.prototype)]
//=> [2,1,null]

//// extends an expression
const mixin = B => class extends B { hi() { return "hi " + this.n } }; class A extends mixin(class { n = 1 }) {} new A().hi()
//=> "hi 1"

//// extends what is no constructor
class A extends 5 {}
//!! TypeError

//// class expressions and names
const A = class B { static n() { return B.name } }; [A.name, A.n(), typeof B, (class {}).name]
//=> ["B","B","undefined",""]

//// methods are not enumerable and not constructors
class A { m() {} } let r; try { new (new A().m)() } catch (e) { r = e.name } [Object.keys(A.prototype), r]
//=> [[],"TypeError"]

//// fields of a derived class come after super
const log = []; class A { a = log.push("A field"); constructor() { log.push("A ctor") } } class B extends A { b = log.push("B field"); constructor() { log.push("before"); super(); log.push("after") } } new B(); log
//=> ["before","A field","A ctor","B field","after"]

//// fields define, they do not assign
class A { set x(v) { throw new Error("called") } } class B extends A { x = 1 } new B().x
//=> 1

//// arrow fields keep this
class A { n = 5; get = () => this.n } const { get } = new A(); get()
//=> 5

//// computed names are evaluated once and in order
const log = []; const k = n => (log.push(n), n); class A { [k("a")] = k("va"); static [k("b")] = k("vb"); [k("c")]() {} } log.push("made"); new A(); log
//=> ["a","b","c","vb","made","va"]

//// a getter on the prototype and one that is replaced
const o = { get x() { Object.defineProperty(this, "x", { value: 2 }); return 1 } }; [o.x, o.x]
//=> [1,2]

//// a setter in an object and a setter without a getter
const o = { set v(x) { this._v = x * 2 } }; o.v = 4; [o._v, o.v]
//=> [8,{"$":"undefined"}]

//// assignment to a getter is an error
const o = { get x() { return 1 } }; o.x = 2
//!! TypeError

//// static inheritance and super in static blocks
class A { static v = 1; static f() { return this.v } } class B extends A { static v = 2; static { this.w = super.f() } } [B.f(), B.w, A.f()]
//=> [2,2,1]

//// super in object literals
const a = { hi() { return "a" } }, b = { __proto__: a, hi() { return super.hi() + "b" }, get x() { return super.hi } }; [b.hi(), b.x === a.hi]
//=> ["ab",true]

//// instanceof with Symbol.hasInstance
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0 } } [2 instanceof Even, 3 instanceof Even]
//=> [true,false]

//// async and generator methods
class A { async a() { return 1 } *g() { yield 2 } async *ag() { yield 3 } static async s() { return 4 } async #p() { return 5 } p() { return this.#p() } }
const a = new A(); [await a.a(), [...a.g()], (await a.ag().next()).value, await A.s(), await a.p()]
//=> [1,[2],3,4,5]

//// a constructor that returns an object
class A { constructor() { return { other: 1 } } } class B extends A { x = 2 } new B()
//=> {"other":1,"x":2}

//// private in: brand checks
class A { #b; static is(o) { try { return #b in o } catch { return "not an object" } } } [A.is(new A()), A.is({}), A.is(1)]
//=> [true,false,"not an object"]

//// a private static method
class A { static #f(x) { return x * 2 } static g(x) { return A.#f(x) } } A.g(4)
//=> 8

//// an instance comes out as a plain object
class P { constructor() { this.x = 1 } m() {} } new P()
//=> {"x":1}

//// accessor pairs static and private
class A { static #v = 1; static get v() { return this.#v } static set v(x) { this.#v = x } } A.v += 4; A.v
//=> 5

//// toString and valueOf of a class
class M { constructor(n) { this.n = n } valueOf() { return this.n } toString() { return "M" + this.n } toJSON() { return { m: this.n } } } const m = new M(3); [m + 1, `${m}`, m > 2, JSON.stringify([m]), +m]
//=> [4,"M3",true,"[{\"m\":3}]",3]

//// Symbol.toPrimitive
const o = { [Symbol.toPrimitive](hint) { return hint === "number" ? 1 : hint } }; [+o, `${o}`, o + ""]
//=> [1,"string","default"]

//// class in a loop makes a class each time
const cs = []; for (let i = 0; i < 2; i++) cs.push(class { static i = i }); [cs[0] === cs[1], cs.map(c => c.i)]
//=> [false,[0,1]]
