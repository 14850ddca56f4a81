//// return before a line end
function f() { return
  1 }
f()
//=> undefined

//// increment on a new line belongs to what follows
let a = 1, b = 1
a
++
b
;[a, b]
//=> [1,2]

//// a line that begins with a bracket goes on
const list = [[1, 2], [3, 4]]
const x = list
[1]
x
//=> [3,4]

//// a line that begins with a parenthesis is a call
const f = x => y => x + y
const r = f(1)
(2)
r
//=> 3

//// a line that begins with a template is a tag
const tag = s => s.raw[0]
const r = tag
`text`
r
//=> "text"

//// a line that begins with a slash divides
const g = 2, i = 1
const r = 8
/g/i
r
//=> 4

//// lines that begin with plus and minus go on
const a = 5
+ 2
- 1
a
//=> 6

//// a line that begins with a dot goes on
const r = [1, 2]
  .map(x => x * 2)
  .join()
r
//=> "2,4"

//// a line that begins with an optional chain goes on
const o = { a: { b: 3 } }
const r = o
  ?.a
  ?.b
r
//=> 3

//// a ternary over lines
const r = true
  ? 1
  : 2
r
//=> 1

//// no semicolons at all
let a = 1
let b = 2
const c = a + b
c
//=> 3

//// a block ends a statement
{ let a = 1 } { let b = 2 } 3
//=> 3

//// before a closing brace
const f = () => { return 5 }; f()
//=> 5

//// break and continue before a line end
let n = 0
a: for (;;) { for (;;) { n++; if (n > 2) break a; break
a } }
n
//=> 3

//// throw may not be followed by a line end
throw
new Error("x")
//!! SyntaxError

//// a body of an arrow goes on over a line end
const f = (a) => a
(1)
f(x => x + 1)
//=> 2

//// async before a line end is a name
let async = 1
async
function f() { return 2 }
[async, f()]
//=> [1,2]

//// let as the last word of a line
let
x = 4
x
//=> 4

//// a var over lines
var a
  = 1,
  b
  = 2
a + b
//=> 3

//// in and instanceof on a new line
const a = "x"
in { x: 1 }
a
//=> true

//// if else over lines without braces
let r
if (false)
  r = 1
else
  r = 2
r
//=> 2

//// comments count as line ends if they hold one
let a = 1 /*
*/ let b = 2
a + b
//=> 3

//// a comment without a line end does not separate
let a = 1 /* */ let b = 2
//!! SyntaxError

//// return with a comment that holds a line end
function f() { return /*
*/ 1 }
f()
//=> undefined

//// class fields without semicolons
class A {
  a = 1
  b = 2
  ["c"] = 3
}
new A()
//!! TypeError

//// class fields named get and set
class A { get
  x = 1; static
  y = 2; set; async
  z() { return 3 } }
const a = new A(); [Object.keys(a), A.y]
//!! SyntaxError

//// class fields named get and static
class A { get; set; static; async; x = 1 }
Object.keys(new A())
//=> ["get","set","static","async","x"]

//// a generator star on a new line is a method
class A {
  a = 1;
  *b() { yield 2 }
}
[...new A().b()]
//=> [2]

//// yield before a line end
function* g() { const x = yield
1
return x }
const it = g(); it.next(); it.next("sent").value
//=> "sent"

//// a regex at the start of a line after a semicolon
let a = 1;
/a/g.test("a")
//=> true

//// a regex at the start of a line after a block
if (true) { }
/b/.test("abc")
//=> true

//// a regex after a closing parenthesis of if
let r; if (true) /x/.test("x") ? r = 1 : r = 2
r
//=> 1

//// division after a closing parenthesis
const g = 2; const r = (8) /2/g
r
//=> 2

//// division after a brace of an object
const g = 1; const r = ({ valueOf() { return 8 } }) / 2 / g
r
//=> 4

//// minus minus and greater at the start of a line is a comment
let n = 3
--> this is a comment
n
//=> 3

//// an arrow to zero in the middle of a line is not
let n = 3, out = []
while (n --> 0) out.push(n)
out
//=> [2,1,0]

//// an HTML-like comment to the end of the line
let n = 1 <!-- n = 2
n
//=> 1

//// an HTML-like comment in a string and a template is text
["<!--", `-->`, /<!--/.source]
//=> ["<!--","-->","<!--"]

//// an HTML-like close after a comment that opens the line
let n = 1
/* c */ --> still a comment
n
//=> 1

//// a hashbang
#!/usr/bin/env hotcell
1 + 1
//== js
1 + 1
//=> 2

//// directives and a comment before
// first
/* second */ "use strict"
undeclared = 1
//!! ReferenceError

//// code without a directive is strict
undeclared = 1
//!! ReferenceError

//// a comment after the last value
1 + 1 // two
//=> 2

//// an open comment is refused
1 /* open
//!! SyntaxError

//// a line separator ends a line
let a = 1 let b = 2 a + b
//=> 3

//// carriage returns end lines
eval("let a = 1\rlet b = 2\r\na + b")
//=> 3

//// semicolon between for parts is never inserted
for (let i = 0
i < 2; i++) {}
//!! SyntaxError

//// postfix must be on the same line
let a = 1, b = 2
a
--b
;[a, b]
//=> [1,1]

//// a do while before a call
let n = 0
do n++; while (n < 3)
(n)
//=> 3

//// an IIFE after a semicolon less statement
const a = () => "called"
;(function () {})()
a()
//=> "called"

//// an object after return in parentheses
const f = () => ({
  a: 1
})
f()
//=> {"a":1}

//// a trailing comma everywhere
const f = (a, b,) => [a, b,]; f(1, 2,)
//=> [1,2]

//// white space of every kind
let a =	1;a+﻿1
//=> 2

//// a template over lines
`a
  b
c`.length
//=> 7

//// a string with a line continuation
'a\
b'
//=> "ab"

//// of, get, set, static, let-like words as names
const of = 1, get = 2, set = 3, from = 4, as = 5, target = 6, meta = 7, type = 8, declare = 9, satisfies = 10
of + get + set + from + as + target + meta + type + declare + satisfies
//=> 55

//// type as a name before a line end
let type = 1, foo = 2
type
foo
//=> 2

//// as on a line of its own
let as = 1, x = 2
x
as
//=> 1
