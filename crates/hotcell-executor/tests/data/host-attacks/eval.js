//// run: slashes that begin no regular expression => *
eval('/"[";'.repeat(200000))
//// run: slashes, 7 MB => *
eval('/"[";'.repeat(1400000))
//// run: slashes, indirectly => *
(0, eval)('/"[";'.repeat(200000))
//// run: imports on a line that is not ASCII => *
eval("'é';" + 'import("x");'.repeat(200000))
//// run: named groups behind text that is not ASCII => *
eval('/é' + Array.from({ length: 50000 }, (_, i) => `(?<g${i}>x)`).join('') + '/')
//// run: parentheses => *
eval('('.repeat(2e6))
//// run: brackets => *
eval('['.repeat(1e6) + ']'.repeat(1e6))
//// run: templates in templates => *
eval('`${'.repeat(5e5) + '1' + '}`'.repeat(5e5))
//// run: one sum => *
eval('1' + '+1'.repeat(3e6))
//// run: one long whole number => *
eval('9'.repeat(5e6) + 'n')
//// run: a comment of 7 MB => *
eval('//' + 'é'.repeat(3e6))
//// run: line ends => *
eval('\n'.repeat(7e6) + 'null.x')
//// run: code that is larger than values may be => *
eval('1;'.repeat(2e7))
//// run: halves of characters => *
eval("'" + '\ud800'.repeat(2e6) + "'")
//// run: the same small code again and again => timeout
for (;;) eval('1')
//// run: other code each time => timeout memory
for (let i = 0; ; i++) eval(`/* ${i} */ ${'1;'.repeat(50000)}`)
//// run: other code each time, which does not parse => timeout memory
for (let i = 0; ; i++) try { eval(`(${i} ${'é('.repeat(50000)}`) } catch {}
//// run: code within code within code => *
let code = '1'; for (let i = 0; i < 16; i++) code = `eval(${JSON.stringify(code)})`; eval(code)
//// run: code that evaluates itself => *
const code = 'eval(code + "/".repeat(1000))'; eval(code)
//// run: errors that quote the code => *
try { eval('é'.repeat(3e6) + ' (') } catch (e) { throw e }
//// run: names that are reserved => *
eval('__smol_;'.repeat(5e5))
//// run: types are not for eval => *
eval('let a: ' + 'A<'.repeat(5e5))
//// run: code from a getter of an object that prints => *
const o = { toString() { return '/"[";'.repeat(200000) } }; eval(String(o))
//// run: code with a hundred thousand functions => *
eval('function f(){};'.repeat(4e5))
//// run: lists without end, and slashes behind them => *
eval('export {'.repeat(20) + '/'.repeat(3000))
//// run: lists without end, and a comment behind them => *
try { eval('export {'.repeat(5000) + '/*'.repeat(30000)) } catch {} eval('import {'.repeat(20) + ' '.repeat(3000) + '//x')
//// run: eval of a regular expression with a million flags => threw
eval('/a/' + 'e'.repeat(1e6))
//// run: eval of regular expressions with a few wrong flags each => threw
eval('/a/eee;'.repeat(1e5))
//// run: eval of labels and jumps to none of them => *
for (let i = 0; ; i++) { try { eval('l' + i + ':' + Array.from({ length: 450 }, (_, j) => 'l' + j + ':').join('') + '{' + 'break zz;'.repeat(6800) + '}') } catch {} }
//// run: eval of nested code that could be types => *
for (let i = 0; ; i++) { try { eval('continue;keyof ' + i + '=(as '.repeat(412)) } catch {} }
//// run: eval of a little nested code again and again => *
for (let i = 0; ; i++) { try { eval('continue;keyof ' + i + '=(as '.repeat(95)) } catch {} }
//// run: names that hash alike, evaluated in a compartment => *
const names = []; const letters = 'abcdefghijklmnopqrstuvwxyz';
for (let i = 0; i < 60000; i++) { let h = ''; for (let j = 0, n = i; j < 4; j++, n = Math.floor(n / 26)) h += letters[n % 26]; names.push(h + h + 'TTTT'); }
new Compartment().evaluate('let ' + names.join() + ';1')
