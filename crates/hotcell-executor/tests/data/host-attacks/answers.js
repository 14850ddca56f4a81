//// run: a long text => ok
final_answer('x'.repeat(7e6))
//// run: a text that is too long => *
final_answer('x'.repeat(3e7))
//// run: what cannot leave => *
final_answer(() => 1)
//// run: what cannot leave and prints long => *
final_answer({ f() { }, a: Array.from({ length: 1e5 }, () => 'x'.repeat(100)) })
//// run: again and again => ok
for (;;) try { final_answer(1) } catch {} finally { final_answer(2) }
//// run: deep in the stack => *
let o = {}; for (let i = 0; i < 990; i++) o = { o }; function f(n) { if (n > 0) return f(n - 1) + 1; return final_answer(o) } f(9900)
//// run: deep in the stack, and short => ok
function f(n) { if (n > 0) return f(n - 1) + 1; return final_answer(n) } f(9900)
//// run: while a value is printed => *
console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { return final_answer('x') } }); for (;;);
//// run: while arguments are read => ok
echo({ get a() { return final_answer('x') } }); for (;;);
//// run: in a job => ok
Promise.resolve().then(() => final_answer('x')); await new Promise(() => {})
//// run: in a job of many => *
for (let i = 0; i < 1e5; i++) queueMicrotask(() => final_answer(i)); await new Promise(() => {})
//// run: in the answer of a tool => ok
later(1).then(() => final_answer('x')); for (;;) await later(1)
//// run: with calls in flight => ok
for (let i = 0; i < 900; i++) never('x'.repeat(1e4)); final_answer(1)
//// run: a getter that never returns => *
final_answer({ get a() { for (;;); } })
//// run: large BigInts => *
const big = 2n ** 1000000n; final_answer(Array.from({ length: 60 }, (_, i) => big + BigInt(i)))
//// run: a million numbers => *
final_answer(Array.from({ length: 1e6 }, (_, i) => i))
//// run: a regular expression that Node has not => ok
final_answer({ r: /(?i:a)/, log: console.log('kept') })
//// run: with sixty thousand arguments => *
final_answer(...Array(60000).fill(1))
//// run: in code that is made => *
eval('final_answer('.repeat(1000) + '1' + ')'.repeat(1000))
