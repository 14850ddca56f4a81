//// run: slashes that begin no regular expression => refused
@repeat(200000, "/\"[\";")
//// run: slashes that begin no regular expression, 200 KB => refused
@repeat(40000, "/\"[\";")
//// validate: slashes that begin no regular expression => refused
@repeat(200000, "/\"[\";")
//// run: slashes after brackets => *
const a = 1, g = 1; [@repeat(90000, "a/[/]/g,")]
//// run: divisions that could be regular expressions => *
let a = 1, g = 2; a@repeat(250000, "/g/a")
//// run: regular expressions that never end => refused
@repeat(90000, "x = /[abc;\n")
//// run: imports on a line that is not ASCII => import
'é'; @repeat(60000, "import(\"x\");")
//// validate: imports on a line that is not ASCII => import
'é'; @repeat(60000, "import(\"x\");")
//// run: import statements by the thousand => import
@repeat(40000, "import \"x\";\n")
//// run: calls of require on a line that is not ASCII => *
'é'; @repeat(60000, "require(\"x\");")
//// run: named groups behind text that is not ASCII => *
const r = /é@repeat(40000, "|(?<name>x)")/; 1
//// run: classes in a regular expression => *
const r = /@repeat(100000, "[a-z]|")x/u; 1
//// run: regular expressions in one line that is not ASCII => *
'é'; @repeat(60000, "/a[b/]c/u.x;")
//// run: a regular expression nested too deep => *
const r = /@repeat(100000, "(?:")@repeat(100000, ")")/; 1
//// run: parentheses => *
@repeat(300000, "(")1@repeat(300000, ")")
//// run: parentheses that do not close => refused
@repeat(1000000, "(")
//// run: brackets => *
@repeat(300000, "[")@repeat(300000, "]")
//// run: brackets that do not close => refused
@repeat(1000000, "[")
//// run: blocks => *
@repeat(300000, "{")@repeat(300000, "}")
//// run: object literals => *
x = @repeat(150000, "{a:")1@repeat(150000, "}")
//// run: templates in templates => *
@repeat(150000, "`${")1@repeat(150000, "}`")
//// run: arrow functions => *
@repeat(300000, "a=>")1
//// run: parentheses that could be parameters => *
@repeat(100000, "(a=")1@repeat(100000, ")")
//// run: async arrow functions that are none => *
@repeat(60000, "async (a=")1@repeat(60000, ")")
//// run: unary operators => *
@repeat(500000, "- ")1
//// run: new => *
@repeat(200000, "new ")x
//// run: conditions => *
@repeat(250000, "1?")1@repeat(250000, ":1")
//// run: a chain of else if => *
@repeat(70000, "if(0)1;else ")2
//// run: one sum => *
1@repeat(500000, "+1")
//// run: one comma expression => *
1@repeat(500000, ",1")
//// run: one chain of properties => *
let a = { get a() { return this } }; a@repeat(500000, ".a")
//// run: one chain of calls => *
const f = () => f; f@repeat(500000, "()")
//// run: one chain of questions => *
let a; a@repeat(300000, "?.a")
//// run: one power => *
1@repeat(300000, "**1")
//// run: one chain of assignments => *
let a; @repeat(500000, "a=")1
//// run: patterns => *
let @repeat(200000, "[")a@repeat(200000, "]") = 1
//// run: labels => *
@repeat(300000, "a:")1
//// run: functions in functions => *
@repeat(40000, "function f(){")@repeat(40000, "}")
//// run: classes in classes => *
@repeat(50000, "(class{a=")1@repeat(50000, "})")
//// run: generators that wait for themselves => *
@repeat(30000, "async function*f(){await ")1@repeat(30000, "}")
//// run: generic types => *
let a: @repeat(250000, "A<")1@repeat(250000, ">") = 1
//// run: union types => *
let a: 1@repeat(400000, "|1") = 1
//// run: conditional types => *
type A = @repeat(60000, "1 extends 1?")1@repeat(60000, ":1"); 1
//// run: casts => *
(1@repeat(120000, " as any"))
//// run: enumerations => *
@repeat(30000, "enum A { B, C }\n")1
//// run: one enumeration => *
enum A { @repeat(150000, "B, ") } 1
//// run: namespaces => *
@repeat(30000, "namespace A {")@repeat(30000, "}")
//// run: elements of another language => refused
x = @repeat(150000, "<a>")@repeat(150000, "</a>")
//// run: comments => *
@repeat(250000, "/**/")1
//// run: a comment that does not end => refused
@repeat(300000, "/* ")
//// run: comments as in HTML => *
@repeat(150000, "<!--x\n")1
//// run: line ends => *
@repeat(1000000, "\n")1
//// run: line separators => *
@repeat(300000, "\u2028")null.x
//// run: statements that are not there => *
@repeat(1000000, ";")1
//// run: one long name => *
let @repeat(1000000, "a") = 1
//// run: one long name in escapes => *
let @repeat(160000, "\\u0061") = 1
//// run: one long whole number => *
@repeat(1000000, "9")n
//// run: one long number => *
@repeat(1000000, "9")
//// run: one long text => ok timeout
'@repeat(500000, "é")'.length
//// run: names that are not declared => *
@repeat(150000, "é1;")
//// run: names that are reserved => refused
@repeat(70000, "let __smol_;\n")
//// run: a name that is declared again and again => refused
@repeat(150000, "let a;")
//// run: globals of other hosts => *
@repeat(100000, "process;")
//// run: functions by the thousand => *
@repeat(60000, "function f(){}")
//// run: loops by the thousand => *
@repeat(90000, "for(;0;);")1
//// run: fences => *
@repeat(100000, "```js\n1\n```\n")
//// run: a fence of a thousand marks => *
@repeat(500000, "`")js
1
@repeat(500000, "`")
//// run: fences that do not close => *
@repeat(150000, "```js\n")
//// run: marks as a model writes them => *
@repeat(60000, "<code>\n1\n</code>\n")
//// run: code larger than it may be => refused
//@repeat(2000000, "x")
//// validate: code larger than it may be => refused
//@repeat(2000000, "x")
//// run: halves of characters => *
'@repeat(100000, "\uFFFD")'.length
//// run: exceptions without a name to catch => *
@repeat(60000, "try{}catch{}")1
//// run: jumps to labels => *
a:for(;;){@repeat(50000, "b:{break a}")}
//// run: a regular expression with a million flags => refused
/a/@repeat(1000000, "e")
//// run: regular expressions with a few wrong flags each => refused
@repeat(100000, "/a/eee;")
//// run: flags after what could be a division => refused
if (1) /a/@repeat(500000, "e")
//// run: labels and jumps to none of them => *
@repeat(450, "l:")0;@repeat(6800, "break zz;")
//// run: nested code that could be types => *
continue;keyof @repeat(412, "=(as ")
//// run: nested code with modifiers => *
@repeat(330, "(private =")
//// run: nested branches that could be functions => *
@repeat(490, "a?(b=") 1@repeat(490, "):c=>d:e")
//// run: statements in a cell of 16 MiB => *; {"memoryLimitBytes": 16777216}
@repeat(125000, "let a=1;")
//// run: names in a cell of 16 MiB => *; {"memoryLimitBytes": 16777216}
@repeat(130000, "a;")
//// run: calls in a cell of 16 MiB => *; {"memoryLimitBytes": 16777216}
@repeat(14000, "f(1,2,[3,4],{a:1});")
//// validate: names in a cell of 16 MiB => *; {"memoryLimitBytes": 16777216}
@repeat(500000, "a;")
