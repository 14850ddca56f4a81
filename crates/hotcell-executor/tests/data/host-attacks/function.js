//// run: a body of slashes => *
new Function('/"[";'.repeat(200000))
//// run: parameters of slashes => *
new Function('a = /"[";'.repeat(200000), '1')
//// run: sixty thousand parameters => *
new Function(...Array.from({ length: 60000 }, (_, i) => `a${i}`), 'return 1')
//// run: parameters with the same name => *
new Function(...Array(60000).fill('a'), 'return 1')
//// run: parameters that close the function => *
for (let i = 0; ; i++) try { new Function('a = `'.repeat(i), '}, {'.repeat(i)) } catch {}
//// run: parameters that are comments => *
new Function('/*'.repeat(1e6), '*/'.repeat(1e6))
//// run: a body of 7 MB that is not ASCII => *
new Function("'" + 'é'.repeat(3e6) + "'")
//// run: other functions each time => timeout memory
const keep = []; for (let i = 0; ; i++) keep.push(new Function(`/* ${i} */ ${'1;'.repeat(20000)}`))
//// run: functions that make functions => *
const f = new Function('f', 'return new Function("f", "return f(f)")(f)'); f(f)
//// run: patterns as parameters => *
new Function('['.repeat(3e5) + ']'.repeat(3e5), '1')
//// run: values by default as parameters => *
new Function('a = '.repeat(5e5) + '1', '1')
//// run: the text of a large function => *
const f = new Function('1;'.repeat(1e6)); String(f).length + f.toString().length
//// run: arguments that become text while they are read => *
new Function({ toString() { return 'x'.repeat(4e6) } }, { toString() { return '1;'.repeat(2e6) } })
