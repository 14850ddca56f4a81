//// an expression
1 + 1
//=> 2

//// the last expression statement counts
1; 2; 3
//=> 3

//// declarations do not count
5; const x = 6; let y; var z = 7; function f() {} class A {}
//=> 5

//// nothing but declarations
const x = 1
//=> undefined

//// an empty statement does not count
1;;;
//=> 1

//// an if without a value is undefined
1; if (true) {}
//=> undefined

//// an if that is not taken is undefined
1; if (false) 2
//=> undefined

//// if and else
if (0) "yes"; else "no"
//=> "no"

//// a block
{ 1; { 2; } let x = 3; }
//=> 2

//// an empty block does not count
1; {}
//=> 1

//// a loop gives its last value
for (let i = 0; i < 3; i++) i * 10
//=> 20

//// a loop that does not run is undefined
1; while (false) 2
//=> undefined

//// a do loop
let n = 0; do { n++; "v" + n } while (n < 3)
//=> "v3"

//// for in and for of
for (const k in { a: 1, b: 2 }) k
//=> "b"

//// break keeps the value before it
for (const x of [1, 2, 3]) { x; if (x === 2) break; }
//=> undefined

//// break with a value in the same block
do { 1; break; } while (false)
//=> 1

//// continue keeps the value before it
let i = 0; while (i < 3) { i++; "seen" + i; continue }
//=> "seen3"

//// switch
switch (2) { case 1: "one"; break; case 2: "two"; break; default: "many" }
//=> "two"

//// switch falls through
switch (1) { case 1: "one"; case 2: }
//=> "one"

//// an empty switch is undefined
1; switch (5) {}
//=> undefined

//// try gives the value of its block
try { 1 } catch { 2 } finally { 3 }
//=> 1

//// catch gives its value
try { throw 0; } catch { 2 } finally { 3 }
//=> 2

//// an empty try is undefined
1; try {} finally { 2 }
//=> undefined

//// a labelled statement
a: { 1; break a; }
//=> 1

//// an object needs parentheses
({ a: 1, b: [2] })
//=> {"a":1,"b":[2]}

//// braces at the start are a block
{ a: 1 }
//=> 1

//// a function expression's result
(function () { return 7 })()
//=> 7

//// a directive is a value
"hello"
//=> "hello"

//// use strict is a value as well
"use strict"
//=> "use strict"

//// several directives
"use strict"; "other"
//=> "other"

//// an assignment
let x; x = 5
//=> 5

//// a comma
(1, 2, 3)
//=> 3

//// void
void 0
//=> undefined

//// null is not undefined
null
//=> null

//// delete and typeof
let o = { a: 1 }; delete o.a; typeof o.a
//=> "undefined"

//// a promise is awaited
Promise.resolve(4)
//=> 4

//// a promise of a promise is awaited
Promise.resolve(Promise.resolve({ a: 1 }))
//=> {"a":1}

//// a thenable is awaited
({ then(done) { done("thenable") } })
//=> "thenable"

//// a rejected promise fails the run
Promise.reject(new Error("rejected"))
//!! Error: rejected

//// an array of promises is not awaited through
const a = await Promise.all([1, Promise.resolve(2)]); a
//=> [1,2]

//// top-level return
return 5
//=> 5

//// top-level return without a value
1; return
//=> undefined

//// top-level return in a branch
1; if (true) return 2; 3
//=> 2

//// top-level return in every statement
outer: for (const a of [1, 2]) { switch (a) { case 2: try { { return a * 10 } } finally { } } }
"never"
//=> 20

//// return before a line end gives undefined
return
5
//=> undefined

//// return of a promise is awaited
return Promise.resolve("later")
//=> "later"

//// return await
return await Promise.resolve("now")
//=> "now"

//// return in try runs finally
const log = []; try { return log } catch { log.push("catch") } finally { log.push("finally") }
//=> ["finally"]

//// return in finally wins
try { throw new Error("lost") } finally { return "kept" }
//=> "kept"

//// return in a nested function is its own
function f() { return 1 } const g = () => { return 2 }; f() + g(); "after"
//=> "after"

//// await in an expression statement
await Promise.resolve(3)
//=> 3

//// await in every place
const { a = await 1, [await "b"]: b } = { b: await 2 }; const f = [await 3, ...(await [4])]; `${await a}${await b}${f}`
//-- Node's REPL forgets names with a default
//=> "123,4"

//// await in a condition and in a switch
if (await true) switch (await 2) { case await 2: "ok" }
//-- Node's REPL gives no value for a statement
//=> "ok"

//// await in a class at the top level
class A { static [await "name1"] = 1 } A.name1
//-- Node's REPL does not parse its own translation
//=> 1

//// await binds like a unary operator
const v = await 2 + 3; [v, await 2 ** 1, -(await 1)]
//!! SyntaxError

//// await of what is no promise
[await 1, await null, await undefined, await "s"]
//=> [1,null,{"$":"undefined"},"s"]

//// await in parentheses before a call
(await (async () => 5)()).toFixed(1)
//=> "5.0"

//// await new
const P = class { then(f) { f("made") } }; await new P()
//=> "made"

//// await in arguments of new
const d = new Map(await [[1, await 2]]); [...d]
//=> [[1,2]]

//// top-level await in a block keeps let in it
let x = 1; { let x = await 2; x; } x
//=> 1

//// a throw at the top level
throw new TypeError("top")
//!! TypeError: top

//// a value is thrown
throw 5
//!! 5

//// a string is thrown
throw "text"
//!! "text"

//// undefined is thrown
throw undefined
//!! undefined

//// an object is thrown
throw { code: 7 }
//!! {"code":7}

//// an error with a cause
throw new Error("outer", { cause: new TypeError("inner") })
//!! Error: outer

//// an error of a class of its own
class Mine extends Error { constructor(m) { super(m); this.name = "Mine" } } throw new Mine("own")
//!! Mine: own

//// an error at a place
const a = 1;

function f() {
  throw new Error("here");
}
  f();
//!! Error: here

//// an engine error at a place
let ok = 1
let bad = ok.missing.x
//!! TypeError

//// a missing name at a place
  missing + 1
//!! ReferenceError

//// calling what is no function
const o = { a: 1 };
o.a()
//!! TypeError

//// an error in a callback
[1, 2].map(x => {
  if (x === 2) null.foo
})
//!! TypeError

//// an error after await has a place
await null
await null; throw new Error("late")
//!! Error: late

//// console lines come in order
console.log("a", 1, { b: [2] }); console.warn("w"); console.error("e"); "done"
//>> a 1 { b: [ 2 ] }
//>> w
//>> e
//=> "done"

//// console formats
console.log("%s is %d and %i, %j %o%%", "x", 1.5, 2.7, { a: 1 }, "s")
//>> x is 1.5 and 2, {"a":1} 's'%
//=> undefined

//// console before an error
console.log("before"); null.x
//>> before
//!! TypeError

//// a run that is one comment and a value
/* nothing */ 1 // one
//=> 1

//// NaN, infinities and minus zero come out
[NaN, Infinity, -Infinity, -0, 0]
//=> [{"$":"number","value":"NaN"},{"$":"number","value":"Infinity"},{"$":"number","value":"-Infinity"},{"$":"number","value":"-0"},0]

//// bigint comes out
2n ** 64n
//=> {"$":"bigint","value":"18446744073709551616"}

//// holes come out
[1, , 3]
//=> [1,{"$":"hole"},3]
