//// run: slashes that begin no regular expression => *
new Compartment().evaluate('/"[";'.repeat(200000))
//// run: compartments by the thousand => *
const keep = []; for (;;) keep.push(new Compartment())
//// run: a compartment in a compartment => *
const code = 'n > 0 ? (() => { const c = new Compartment({ globals: { n: n - 1, code, Compartment }, __options__: true }); return c.evaluate(code) })() : 1'
let n = 1000; eval(code)
//// run: a compartment with many globals => *
const globals = {}; for (let i = 0; i < 50000; i++) globals['g' + i] = i
new Compartment(globals).evaluate('g1')
//// run: evaluators of a compartment => *
const c = new Compartment(); c.evaluate(`eval('/"[";'.repeat(200000))`)
//// run: functions of a compartment => *
const c = new Compartment(); c.evaluate(`new Function('/"[";'.repeat(200000))`)
//// run: code within code across compartments => *
const c = new Compartment(); for (let i = 0; ; i++) c.evaluate(`/* ${i} */ ${'1;'.repeat(50000)}`)
//// run: imports of a compartment => *
const c = new Compartment(); await c.import('x'.repeat(4e6))
//// run: imports in code of a compartment => *
const c = new Compartment(); for (;;) try { await c.evaluate('import("' + 'x'.repeat(1e5) + '")') } catch {}
//// run: a compartment whose name is long => *
const c = new Compartment({ name: 'x'.repeat(4e6), __options__: true }); c.evaluate('null.x')
//// run: parentheses => *
new Compartment().evaluate('('.repeat(2e6))
//// run: hardening what is large => *
const list = []; for (let i = 0; i < 200000; i++) list.push({ i }); harden(list); 1
//// run: hardening what is deep => *
let o = {}; for (let i = 0; i < 200000; i++) o = { o }; harden(o); 1
