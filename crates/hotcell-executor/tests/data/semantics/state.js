//// let stays
let n = 1
//=> undefined
//// step
n += 1; n
//=> 2
//// step
n
//=> 2

//// const stays and refuses
const c = { v: 1 }
//=> undefined
//// step
c.v = 2; c.v
//=> 2
//// step
c = 3
//!! TypeError
//// step
c.v
//=> 2

//// functions and classes stay
function f() { return g() } class A { m() { return f() } }
//=> undefined
//// step
function g() { return "g" } new A().m()
//=> "g"

//// a name is declared again
let x = 1; const y = 2; function f() { return 3 } class A {}
//=> undefined
//// step
//-- Node keeps the first declaration for ever
const x = 10; let y = 20; let f = 30; let A = 40; [x, y, f, A]
//=> [10,20,30,40]
//// step
var x = 100; [x, y]
//=> [100,20]

//// a closure keeps the binding that it was made with
let x = 1; const get = () => x, set = v => { x = v }
//=> undefined
//// step
set(5); [x, get()]
//=> [5,5]

//// a closure over var sees the new value
var v = 1; function read() { return v }
//=> undefined
//// step
v = 2; read()
//=> 2
//// step
var v; read()
//=> 2

//// a counter over steps
let n = 0; const inc = () => ++n; inc()
//=> 1
//// step
inc(); inc()
//=> 3
//// step
n
//=> 3

//// what stands after await stays as well
const a = await Promise.resolve(1); let b = a + 1; function h() { return b }
//=> undefined
//// step
b = 10; [a, b, h()]
//=> [1,10,10]

//// a failed run keeps what it completed
let done = 1; var also = 2; throw new Error("middle")
//!! Error: middle
//// step
[done, also]
//=> [1,2]

//// a let that never came to its value
throw new Error("early"); let late = 1
//!! Error: early
//// step
//-- Node leaves the name dead for ever
let late = 2; late
//=> 2

//// a generator goes on in the next step
function* g() { let i = 0; while (true) yield i++ } const it = g(); it.next().value
//=> 0
//// step
[it.next().value, it.next().value]
//=> [1,2]

//// a promise of one step is awaited in another
let resolve; const p = new Promise(r => { resolve = r })
//=> undefined
//// step
resolve("from step two"); p
//=> "from step two"
//// step
await p
//=> "from step two"

//// globalThis keeps properties
globalThis.shared = { a: 1 }; shared.a
//=> 1
//// step
shared.a += 1; delete globalThis.other; [shared, "shared" in globalThis]
//=> [{"a":2},true]
//// step
delete globalThis.shared; typeof shared
//=> "undefined"

//// return leaves later declarations out
let before = 1; return before; let after = 2
//=> 1
//// step
//-- Node ran the first step as a function
before
//=> 1

//// names in blocks do not stay
{ let inner = 1; var outer = 2 } for (let i = 0; i < 1; i++); try { throw 1 } catch (e) {}
//=> undefined
//// step
[typeof inner, outer, typeof i, typeof e]
//=> ["undefined",2,"undefined","undefined"]

//// destructuring at the top level stays
const { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], f: 5 }
//=> undefined
//// step
[a, c, d, e]
//=> [1,2,[3,4],{"f":5}]

//// symbols and maps keep their identity
const s = Symbol("s"), m = new Map([[s, 1]]), w = new WeakMap(); const key = {}; w.set(key, "w"); 0
//=> 0
//// step
[m.get(s), w.get(key)]
//=> [1,"w"]

//// an unhandled rejection does not spoil the next step
Promise.reject(new Error("lost")); 1
//-- Node ends the process
//=> 1
//// step
2
//=> 2

//// a refused run changes nothing
let n = 1
//=> undefined
//// step
n = 2; let let = 3
//!! SyntaxError
//// step
n
//=> 1

//// a microtask of one step has run before the next
const log = []; queueMicrotask(() => log.push("micro")); Promise.resolve().then(() => log.push("then")); "first"
//=> "first"
//// step
log
//=> ["micro","then"]

//// a class is extended in a later step
class Base { hi() { return "base" } }
//=> undefined
//// step
class Derived extends Base { hi() { return super.hi() + " derived" } } new Derived().hi()
//=> "base derived"
//// step
new Derived() instanceof Base
//=> true

//// a name may take the place of a global
const Array2 = Array; var Map2 = Map
//=> undefined
//// step
let name = "mine", status = 2, event = 3; [name, status, event, Array2 === Array]
//=> ["mine",2,3,true]

//// async functions of an earlier step
const sleep = () => Promise.resolve(); async function work(n) { await sleep(); return n * 2 }
//=> undefined
//// step
(await Promise.all([1, 2, 3].map(work))).join()
//=> "2,4,6"

//// an error of an earlier step's function tells its place
function boom() {
  throw new Error("boom")
}
//=> undefined
//// step
boom()
//!! Error: boom

//// strictness holds in every step
"not a directive"; 1
//=> 1
//// step
(function () { return this })()
//=> undefined
