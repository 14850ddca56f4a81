//// annotations
const n: number = 1; let s: string | undefined; function f(a: number, b?: string, ...r: boolean[]): [number, number] { return [a, r.length] } f(n, s, true)
//== js
const n = 1; let s; function f(a, b, ...r) { return [a, r.length] } f(n, s, true)
//=> [1,1]

//// generics
function id<T extends object = {}>(x: T): T { return x } const pair = <A, B,>(a: A, b: B): [A, B] => [a, b]; [id<{ a: number }>({ a: 1 }).a, ...pair<number, string>(2, "x"), new Map<string, Array<number>>([["k", [3]]]).get("k")]
//== js
function id(x) { return x } const pair = (a, b) => [a, b]; [id({ a: 1 }).a, ...pair(2, "x"), new Map([["k", [3]]]).get("k")]
//=> [1,2,"x",[3]]

//// as, satisfies and non-null
const o = { a: { b: 1 } } as const satisfies object; const x = (o as any).a!.b! as unknown as number; [x, (<number>x), o!.a]
//== js
const o = { a: { b: 1 } }; const x = (o).a.b; [x, (x), o.a]
//=> [1,1,{"b":1}]

//// interfaces and type aliases vanish
interface Point { x: number; y?: number; readonly z: string; (a: number): void; [k: string]: any }
type Fn<T> = (x: T) => T extends string ? `s_${T}` : never; type U = "a" | "b" & {}
const p: Partial<Point> = { x: 1 }
p.x
//== js
const p = { x: 1 }
p.x
//=> 1

//// enums
enum Color { Red, Green = 5, Blue, S = "s", Computed = "abc".length } [Color.Red, Color.Green, Color.Blue, Color.S, Color.Computed, Color[5], Object.keys(Color).length]
//== js
var Color = (function (C) { C[C["Red"] = 0] = "Red"; C[C["Green"] = 5] = "Green"; C[C["Blue"] = 6] = "Blue"; C["S"] = "s"; C[C["Computed"] = 3] = "Computed"; return C })({}); [Color.Red, Color.Green, Color.Blue, Color.S, Color.Computed, Color[5], Object.keys(Color).length]
//=> [0,5,6,"s",3,"Green",9]

//// const enums
const enum E { A = 1 << 2, B = A | 1, C } [E.A, E.B, E["C"]]
//== js
var E = { A: 4, B: 5, C: 6 }; [E.A, E.B, E["C"]]
//=> [4,5,6]

//// an enum stays for the next step
enum Level { Low = 1, High = 2 }
//== js
var Level = { Low: 1, High: 2, 1: "Low", 2: "High" }
//=> undefined
//// step
[Level.High, Level[1]]
//=> [2,"Low"]

//// parameter properties
class P { constructor(public x: number, private readonly y = 2, protected z?: string) {} sum() { return this.x + this.y } } [new P(1).sum(), Object.keys(new P(1))]
//== js
class P { x; y; z; constructor(x, y = 2, z) { this.x = x; this.y = y; this.z = z } sum() { return this.x + this.y } } [new P(1).sum(), Object.keys(new P(1))]
//=> [3,["x","y","z"]]

//// parameter properties with super
class A { a = 1 } class B extends A { constructor(public b: number) { super(); this.a += b } } ({ ...new B(4) })
//== js
class A { a = 1 } class B extends A { b; constructor(b) { super(); this.b = b; this.a += b } } ({ ...new B(4) })
//=> {"a":5,"b":4}

//// abstract classes and overloads
abstract class Shape { abstract area(): number; name?: string; describe(): string { return `area ${this.area()}` } } class Sq extends Shape { constructor(private s: number) { super() } override area() { return this.s ** 2 } }
function over(a: string): string; function over(a: number): number; function over(a: any) { return a } [new Sq(3).describe(), over(1)]
//== js
class Shape { name; describe() { return `area ${this.area()}` } } class Sq extends Shape { s; constructor(s) { super(); this.s = s } area() { return this.s ** 2 } }
function over(a) { return a } [new Sq(3).describe(), over(1)]
//=> ["area 9",1]

//// class members with modifiers
class A { private a: number = 1; protected static b?: string = "s"; readonly c!: number; declare d: string; public get e(): number { return this.a } [key: string]: unknown; static readonly f: number[] = []; constructor(); constructor(x?: any) {} }
[Object.keys(new A()), new A().e, A["b"]]
//== js
class A { a = 1; static b = "s"; c; get e() { return this.a } static f = []; constructor(x) {} }
[Object.keys(new A()), new A().e, A["b"]]
//=> [["a","c"],1,"s"]

//// implements and generic classes
interface I<T> { get(): T } class Box<T> implements I<T>, Iterable<T> { #v: T; constructor(v: T) { this.#v = v } get(): T { return this.#v } *[Symbol.iterator](): Iterator<T> { yield this.#v } } [...new Box<number>(7)]
//== js
class Box { #v; constructor(v) { this.#v = v } get() { return this.#v } *[Symbol.iterator]() { yield this.#v } } [...new Box(7)]
//=> [7]

//// namespaces
namespace Geo { export const pi = 3; export function area(r: number): number { return pi * r * r } export namespace Inner { export const x = 1 } } [Geo.area(2), Geo.Inner.x]
//== js
var Geo = { pi: 3, area: r => 3 * r * r, Inner: { x: 1 } }; [Geo.area(2), Geo.Inner.x]
//=> [12,1]

//// type-only imports vanish
import type { Foo } from "foo"
import { type Bar } from "bar"
const x: Foo | null = null
x
//== js
const x = null
x
//=> null

//// only type-only imports
import type { Foo } from "foo"; import type Bar from "bar"; import type * as Baz from "baz"; export type { Foo }
const x: Foo | Bar = 5; x
//== js
const x = 5; x
//=> 5

//// declare vanishes
declare const outside: number; declare function tool(x: string): Promise<string>; declare global { interface Window { a: 1 } } declare module "m" { export const y: number }
typeof outside
//== js
typeof outside
//=> "undefined"

//// type guards and assertion functions
function isString(x: unknown): x is string { return typeof x === "string" } function assert(x: any): asserts x { if (!x) throw new Error("assert") } const v: unknown = "s"; assert(v); isString(v) ? v.length : 0
//== js
function isString(x) { return typeof x === "string" } function assert(x) { if (!x) throw new Error("assert") } const v = "s"; assert(v); isString(v) ? v.length : 0
//=> 1

//// this parameters
function f(this: { n: number }, a: number) { return this.n + a } f.call({ n: 1 }, 2)
//== js
function f(a) { return this.n + a } f.call({ n: 1 }, 2)
//=> 3

//// arrow functions with types
const f = async <T,>(x: T, y?: number): Promise<T[]> => [x]; const g = (a: number): ((b: number) => number) => (b: number): number => a + b; [await f<string>("x"), g(1)(2)]
//== js
const f = async (x, y) => [x]; const g = (a) => (b) => a + b; [await f("x"), g(1)(2)]
//=> [["x"],3]

//// optional calls with type arguments
const o: { f?: <T>(x: T) => T } = { f: x => x }; [o.f?.<number>(1), o?.f!<string>("s")]
//== js
const o = { f: x => x }; [o.f?.(1), o?.f("s")]
//=> [1,"s"]

//// a type alias between lines without semicolons
const a = [1]
type T = string
[2].length
//== js
const a = [1]
;
[2].length
//=> 1

//// an interface between a name and a parenthesis
const f = 5
interface A { a: number }
(1)
//== js
const f = 5
;
(1)
//=> 1

//// return type over lines and a line end after as
const f = (
  a: number,
  b: string,
): string => {
  return (a as any
  ) + b
}
f(1, "x")
//== js
const f = (a, b) => { return (a) + b }
f(1, "x")
//=> "1x"

//// return with a type that begins a line
function f() {
  return <any>
    5
}
f()
//== js
function f() { return (5) }
f()
//=> 5

//// catch with a type and for with a type
let r: unknown[] = []; try { throw 1 } catch (e: unknown) { r.push(e) } for (const x of [2, 3] as number[]) r.push(x as number); r
//== js
let r = []; try { throw 1 } catch (e) { r.push(e) } for (const x of [2, 3]) r.push(x); r
//=> [1,2,3]

//// decorated names of types in expressions
const type = 1, as = 2, is = 3; type; [type, as, is as number]
//== js
const type = 1, as = 2, is = 3; type; [type, as, is]
//=> [1,2,3]

//// definite assignment
let x!: number; x = 5; x!++; x
//== js
let x; x = 5; x++; x
//=> 6

//// destructuring with types
const { a, b: [c] }: { a: number; b: [string] } = { a: 1, b: ["x"] }; const [d, ...e]: number[] = [2, 3]; (({ z = 1 }: { z?: number } = {}) => [a, c, d, e, z])()
//== js
const { a, b: [c] } = { a: 1, b: ["x"] }; const [d, ...e] = [2, 3]; (({ z = 1 } = {}) => [a, c, d, e, z])()
//=> [1,"x",2,[3],1]

//// an error in TypeScript has its place in the original
type Big = { a: number;
  b: string }
const x: Big | null = null as Big | null;
const y: number = (x as any).a.b;
//== js
;
              
const x             = null              ;
const y         = (x       ).a.b;
//!! TypeError

//// an error in lowered TypeScript has its line in the original
enum A { X }
enum B { Y, Z }

function f(q: number): never {
  throw new Error("line five")
}
f(A.X)
//== js
var A = { X: 0 }
var B = { Y: 0, Z: 1 }

function f(q) {
  throw new Error("line five")
}
f(A.X)
//!! Error: line five

//// a fence is taken off
Here is the code:

```ts
const n: number = 20
n + 1
```

That is all.
//== js
const n = 20
n + 1
//=> 21

//// a fence around a template with a fence
```js
const t = `a
b`
t.length
```
//== js
const t = `a
b`
t.length
//=> 3

//// generics in classes with constraints and defaults
class Repo<K extends string | number = string, V = unknown> { private m = new Map<K, V>(); set(k: K, v: V): this { this.m.set(k, v); return this } get<D = V>(k: K, d?: D): V | D | undefined { return this.m.get(k) ?? d } } new Repo<string, number>().set("a", 1).get<number>("b", 5)
//== js
class Repo { m = new Map(); set(k, v) { this.m.set(k, v); return this } get(k, d) { return this.m.get(k) ?? d } } new Repo().set("a", 1).get("b", 5)
//=> 5

//// keyof, typeof, indexed and mapped types
const table = { a: 1, b: "x" }; type K = keyof typeof table; type M = { readonly [P in K]?: (typeof table)[P] }; const get = <P extends K>(k: P): (typeof table)[P] => table[k]; const m: M = { a: get("a") }; m
//== js
const table = { a: 1, b: "x" }; const get = (k) => table[k]; const m = { a: get("a") }; m
//=> {"a":1}

//// instantiation expressions and generics that look like comparisons
const mk = <T,>(x: T) => [x]; const mkNum = mk<number>; const f = (a: boolean, b: boolean) => [a, b]; const a = 1, b = 2, c = 3; [mkNum(1), f(a < b, b > c)]
//== js
const mk = (x) => [x]; const mkNum = mk; const f = (a, b) => [a, b]; const a = 1, b = 2, c = 3; [mkNum(1), f(a < b, b > c)]
//=> [[1],[true,false]]

//// accessors with types and async generators with types
class S { private _v: number = 0; get v(): number { return this._v } set v(x: number) { this._v = x } async *all(this: S): AsyncGenerator<number, void, undefined> { yield this.v } } const s = new S(); s.v = 4; const out: number[] = []; for await (const x of s.all()) out.push(x); out
//== js
class S { _v = 0; get v() { return this._v } set v(x) { this._v = x } async *all() { yield this.v } }
const s = new S(); s.v = 4; const out = []; for await (const x of s.all()) out.push(x); out
//=> [4]

//// an arrow body that is an object with as
const f = () => ({ a: 1 } as { a: number }); f()
//== js
const f = () => ({ a: 1 }); f()
//=> {"a":1}

//// unique symbol, template types, tuple labels, abstract constructors
declare const tag: unique symbol; type Ctor = abstract new (...a: any[]) => object; type T = [a: string, b?: number, ...rest: boolean[]]; type L = `${Uppercase<"a">}_${number}`; const t: T = ["x"]; const l: L = "A_1" as L; [t, l]
//== js
const t = ["x"]; const l = "A_1"; [t, l]
//=> [["x"],"A_1"]

//// loops in TypeScript are counted the same
let n: number = 0; outer: for (const a of [1, 2, 3] as const) { for (let b: number = 0; b < a; b++) { if (b === 1) continue outer; n += a } } n
//== js
let n = 0; outer: for (const a of [1, 2, 3]) { for (let b = 0; b < a; b++) { if (b === 1) continue outer; n += a } } n
//=> 6
