//// regex after every operator
const r = [/a/.test("a"), !/a/.test("b"), 1 + /a/.source, typeof /a/, void /a/, (/a/).flags, [/b/][0].source, { k: /c/ }.k.source, true && /d/.source, true ? /e/.source : /f/.source]
r
//=> [true,true,"1a","object",{"$":"undefined"},"","b","c","d","e"]

//// regex after words
function* g() { yield /y/.source } const f = () => { return /r/.source }; const out = [f(), ...g(), await /w/.source]
switch ("s") { case /s/.source: out.push("case") } if ("x" in { x: /q/ }) out.push(delete /z/.x, /t/ instanceof RegExp); out
//=> ["r","y","w","case",true,true]

//// regex in a template
`${/[}`]/.source}|${"a/b".split(/\//).length}`
//=> "[}`]|2"

//// regex with a class that holds a slash
/[/\]]+/.exec("a/]b")[0]
//=> "/]"

//// regex after a closing brace of a function
function f() {} /x/.test("x")
//=> true

//// regex after an arrow
const f = x => /n/.test(x); f("n")
//=> true

//// division that looks like a regex
let a = 4, b = 2, g = 1; a / b / g
//=> 2

//// division after postfix
let a = 4; a++ / 2
//=> 2

//// division after a template and a bracket
const o = [8]; `8` / 2 + o[0] / 4 /1
//=> 6

//// division after this and a keyword property
const o = { return: 6, if: 3, f() { return this.return /this.if/ 1 } }; o.f()
//=> 2

//// sticky
const r = /a/y; r.lastIndex = 1; [r.test("ba"), r.lastIndex, r.test("ba"), r.lastIndex]
//=> [true,2,false,0]

//// named groups
const { groups: { y, m } } = /(?<y>\d{4})-(?<m>\d\d)/.exec("on 2024-05"); [y, m, "2024-05".replace(/(?<y>\d+)-(?<m>\d+)/, "$<m>/$<y>")]
//=> ["2024","05","05/2024"]

//// lookbehind
["$5 €6".match(/(?<=\$)\d/)[0], "$5 €6".match(/(?<!\$)\d/)[0], "ab".replace(/(?<=(a))b/, "[$1]")]
//=> ["5","6","a[a]"]

//// the v flag
[/^[\p{L}--[a-z]]$/v.test("a"), /^[\p{L}--[a-z]]$/v.test("B"), /^[\w&&\d]$/v.test("5"), /^[\w&&\d]$/v.test("x")]
//=> [false,true,true,false]

//// the d flag
/a(?<n>b)/d.exec("xab").indices.groups.n
//=> [2,3]

//// the u flag and code points
[/^.$/u.test("💡"), /^.$/.test("💡"), /\u{1f4a1}/u.test("💡"), "💡".match(/./gu).length]
//=> [true,false,true,1]

//// the s and m flags
[/a.b/s.test("a\nb"), /a.b/.test("a\nb"), "a\nb".match(/^b$/m)[0]]
//=> [true,false,"b"]

//// matchAll
[..."a1b22".matchAll(/[a-z](\d+)/g)].map(m => [m.index, m[1]])
//=> [[0,"1"],[2,"22"]]

//// replace with a function
"a-b-c".replace(/-(.)/g, (_, c, at) => c.toUpperCase() + at)
//=> "aB1C3"

//// backreferences
[/(a)\1/.test("aa"), /(?<q>["']).*?\k<q>/.exec(`x "it's" y`)[0]]
//=> [true,"\"it's\""]

//// unicode property escapes
[/\p{Script=Greek}/u.test("α"), /\P{L}/u.test("1"), /\p{Emoji}/u.test("💡")]
//=> [true,true,true]

//// an invalid regex literal is refused
/(/
//!! SyntaxError

//// an invalid regex at run time
new RegExp("(")
//!! SyntaxError

//// the string import( is text
"import('fs'); import fs from 'fs'; export default 1".length
//=> 51

//// reserved names inside strings, templates, comments and regexes
/* __smol_x */ ["__smol_guard", `__smol_${1}`, /__smol_/.source] // __smol_y
//=> ["__smol_guard","__smol_1","__smol_"]

//// reserved names as computed properties
const o = { ["__smol" + "_x"]: 1 }; o["__smol_x"]
//=> 1

//// a Markdown fence inside a template
`\`\`\`js
code
\`\`\``.split("\n").length
//=> 3

//// unicode identifiers
const été = 1, π = 3.14, 变量 = 2, $ = 3, _ = 4, ሴ = 5; [été, π, 变量, $ + _, ሴ]
//=> [1,3.14,2,7,5]

//// identifiers with escapes
const \u0061bc = 1; const \u{62}cd = 2; [abc, bcd]
//=> [1,2]

//// a keyword with an escape as a property
({ v\u0061r: 1 }).var
//=> 1

//// a keyword with an escape as a name is refused
v\u0061r x = 1
//!! SyntaxError

//// identifiers with joiners
const a‌b = 1; a\u200cb
//=> 1

//// numeric separators
[1_000, 0xff_ff, 0b1010_1010, 0o7_7, 1_0.0_1, 1e1_0, 1_0n]
//=> [1000,65535,170,63,10.01,10000000000,{"$":"bigint","value":"10"}]

//// numbers of every spelling
[.5, 5., 0x1F, 0B11, 0O17, 1e3, 1E-3, 0.1 + 0.2]
//=> [0.5,5,31,3,15,1000,0.001,0.30000000000000004]

//// old octals are refused
010
//!! SyntaxError

//// an octal escape is refused
"\01"
//!! SyntaxError

//// a number before a dot
[1..toString(), 1.5.toFixed(), 1 .toString(), 0x1.toString()]
//=> ["1","2","1","1"]

//// a number touching a name is refused
3in [1]
//!! SyntaxError

//// bigint arithmetic
[7n / 2n, -7n % 3n, 2n ** 10n, 5n & 3n, -1n >> 1n, 1n << 70n, 1n < 2, 2n == 2, 2n === 2]
//=> [{"$":"bigint","value":"3"},{"$":"bigint","value":"-1"},{"$":"bigint","value":"1024"},{"$":"bigint","value":"1"},{"$":"bigint","value":"-1"},{"$":"bigint","value":"1180591620717411303424"},true,true,false]

//// bigint does not mix
1n + 1
//!! TypeError

//// bigint wraps with asIntN
[BigInt.asIntN(8, 255n), BigInt.asUintN(8, -1n), BigInt("0x1f"), typeof 1n]
//=> [{"$":"bigint","value":"-1"},{"$":"bigint","value":"255"},{"$":"bigint","value":"31"},"bigint"]

//// string escapes
"\x41\u0042\u{43}\t\0\'\"\\\v".length + "\x41\u0042\u{43}"
//=> "9ABC"

//// a lone surrogate survives
"\ud800".charCodeAt(0)
//=> 55296

//// line separators in a string
"a b".length + eval('"\u2028"').length
//=> 4

//// template with nesting
`a${`b${`c${1 + 1}`}`}${{ toString: () => "}" }}`
//=> "abc2}"

//// template with braces and comments inside
`${/* } */ { a: 1 }.a}${"}"}${(() => { return `}` })()}`
//=> "1}}"

//// template with a line end normalised
eval("`a\r\nb\rc`").length
//=> 5

//// tagged template gives cooked and raw
((s, ...v) => [s, s.raw, v])`a\n${1}\u0062${2}`
//=> [["a\n","b",""],["a\\n","\\u0062",""],[1,2]]

//// tagged template with an invalid escape
(s => [s[0] === undefined, s.raw[0]])`\unicode \xg`
//=> [true,"\\unicode \\xg"]

//// an invalid escape without a tag is refused
`\unicode`
//!! SyntaxError

//// tagged templates are cached by place
const id = s => s; const f = () => id`x`; [f() === f(), id`x` === id`x`, Object.isFrozen(f()), Object.isFrozen(f().raw)]
//=> [true,false,true,true]

//// tagged template in a loop is one object
const seen = new Set(); for (let i = 0; i < 3; i++) seen.add((s => s)`a${i}`); seen.size
//=> 1

//// a member and a call as tags
const o = { t(s) { return this.n + s[0] }, n: 1 }, f = () => o.t.bind(o); [o.t`x`, f()`y`, new (s => class { v = s[0] })`z`().v]
//=> ["1x","1y","z"]

//// String.raw
String.raw`a\n${1}\${`
//=> "a\\n1\\${"

//// optional chaining
const o = { a: { b() { return this.c }, c: 1 } }; [o?.a?.c, o.x?.y.z.w, o.a?.b(), o.a.q?.(), o?.["a"]?.["c"], delete o?.a, o.a]
//=> [1,{"$":"undefined"},1,{"$":"undefined"},1,true,{"$":"undefined"}]

//// optional chaining stops early
let n = 0; null?.[n++]; undefined?.(n++); n
//=> 0

//// optional chaining before a number is a conditional
const a = true; a?.5:1
//=> 0.5

//// parentheses end an optional chain
let x;
(x?.a).b
//!! TypeError

//// nullish
[null ?? 1, 0 ?? 1, undefined ?? null ?? 2, "" || "x", (null || undefined) ?? "z"]
//=> [1,0,2,"x","z"]

//// nullish does not mix with or
1 || 2 ?? 3
//!! SyntaxError

//// logical assignments
let a = null, b = 0, c = 1; a ??= 5; b ||= 6; c &&= 7; const o = { get x() { return 1 } }; o.x ||= 2; [a, b, c]
//=> [5,6,7]

//// logical assignment does not evaluate
let n = 0; const o = { a: 1 }; o.a ??= n++; o.a ||= n++; n
//=> 0

//// logical assignment names functions
let f; f ??= () => {}; f.name
//=> "f"

//// exponent
[2 ** 3 ** 2, (-2) ** 2, 2 ** -1]
//=> [512,4,0.5]

//// a unary minus before an exponent is refused
-2 ** 2
//!! SyntaxError

//// exponent assignment
let a = 3; a **= 2; a
//=> 9

//// comma and conditional nest
const r = (1, 2) ? (3, 4) : 5; r
//=> 4

//// operators and their order
[1 + 2 * 3, (1 + 2) * 3, 1 < 2 < 3, 3 > 2 > 1, !0 + 1, ~5, +"3", -"3", "3" * "4", 1 + "2", 5 % 3, -5 % 3, 7 >>> 1, -1 >>> 28, 1 << 31]
//=> [7,9,true,false,2,-6,3,-3,12,"12",2,-2,3,15,-2147483648]

//// equality
[null == undefined, null == 0, "" == 0, NaN == NaN, [1] == 1, "1" === 1, Object.is(-0, 0), Object.is(NaN, NaN)]
//=> [true,false,true,false,true,false,false,true]

//// increments
let a = 1; const r = [a++, ++a, a--, --a]; r
//=> [1,3,3,1]

//// typeof of what is not there
[typeof nowhere, typeof null, typeof (() => 1), typeof class {}, typeof Symbol(), typeof 1n]
//=> ["undefined","object","function","function","symbol","bigint"]

//// in with a private name
class A { #x; static has(o) { return #x in o } } [A.has(new A()), A.has({})]
//=> [true,false]

//// new.target and import words as properties
const o = { new: 1, import: 2, class: 3, await: 4, yield: 5, async: 6, of: 7, let: 8, static: 9 }
o.new + o.import + o.class + o.await + o.yield + o.async + o.of + o.let + o.static
//=> 45

//// await is reserved at the top level
const await = 1
//-- a script of Node has no await
//!! SyntaxError

//// yield is reserved
let yield_ = 1; var yield = 2
//!! SyntaxError

//// let twice is refused
let a; let a
//!! SyntaxError

//// delete of a name is refused
let x; delete x
//!! SyntaxError

//// with is refused
with ({}) {}
//!! SyntaxError

//// arguments and eval cannot be assigned
eval = 1
//!! SyntaxError

//// duplicate parameters are refused
function f(a, a) {}
//!! SyntaxError

//// a function with a directive and plain parameters
function f(a) { "use strict"; return this } f()
//=> undefined

//// a function with a directive and a default is refused
function f(a = 1) { "use strict" }
//!! SyntaxError

//// parentheses many deep
((((((((((((((((((((1))))))))))))))))))))
//=> 1

//// arrows of every shape
[(() => 1)(), (x => x)(2), ((x, y = 3) => y)(0), (({ a }) => a)({ a: 4 }), ((...r) => r.length)(1, 2), (async x => x)(1) instanceof Promise]
//=> [1,2,3,4,2,true]

//// async as a name
const async = x => x * 2; [async(2), async (3), (async => async)(4)]
//=> [4,6,4]

//// async as a parameter of an async arrow
await (async async => async)(5)
//=> 5

//// get, set and async as methods
const o = { get() { return 1 }, set() { return 2 }, async() { return 3 }, get get() { return 4 }, async *gen() { yield 5 }, async async2() { return 6 } };
[o.set(), o.async(), o.get, (await o.gen().next()).value, await o.async2()]
//=> [2,3,4,5,6]

//// duplicate keys: the last one counts
({ a: 1, a: 2, ["a"]: 3 })
//=> {"a":3}

//// __proto__ in a literal
const p = { x: 1 }; const a = { __proto__: p }, b = { ["__proto__"]: p }, __proto__ = 5, c = { __proto__ }; [a.x, Object.keys(b), Object.keys(c)]
//=> [1,["__proto__"],["__proto__"]]

//// spread in every place
[Math.max(...[1, 2], ...new Set([5])), [...[1], ..."ab"], { ...{ a: 1 }, ...null, ...1, b: 2 }]
//=> [5,[1,"a","b"],{"a":1,"b":2}]

//// a string spread in an object
({ ..."xy", b: 2 })
//=> {"0":"x","1":"y","b":2}
