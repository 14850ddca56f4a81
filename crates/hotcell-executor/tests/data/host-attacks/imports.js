//// run: refused names, 100 KB each => *
const name = 'x'.repeat(1e5); for (let i = 0; ; i++) import(name + i).catch(() => {})
//// run: refused names, short ones => *
for (let i = 0; ; i++) import('x' + i).catch(() => {})
//// run: refused names, awaited => timeout
for (let i = 0; ; i++) try { await import('x' + i) } catch {}
//// run: refused names, and nobody handles it => *
for (let i = 0; i < 100000; i++) import('x' + i); 1
//// run: refused names, 1 MB each, and nobody handles it => *
for (let i = 0; i < 100; i++) import('x'.repeat(1e6) + i); 1
//// run: one name of 20 MB => *
await import('x'.repeat(2e7))
//// run: one name that is not ASCII => *
await import('é'.repeat(3e6))
//// run: one name that has to be escaped => *
await import('\u0001'.repeat(3e6))
//// run: one name of halves of characters => *
await import('\ud800'.repeat(2e6))
//// run: a name that becomes text => *
await import({ toString() { return 'x'.repeat(5e6) } })
//// run: a name that makes others => *
const o = { toString() { import(o).catch(() => {}); return 'x'.repeat(1e5) } }; import(o).catch(() => {}); 1
//// run: a module that is authorised and not there => *; {"authorizedImports": ["known"]}
for (;;) try { await import('known') } catch {}
//// run: refused beside many that are not => *; {"authorizedImports": ["a-module-with-a-name", "another-module-with-a-name"]}
for (let i = 0; ; i++) import('x'.repeat(1e5) + i).catch(() => {})
//// run: modules that import themselves => *; {"authorizedImports": ["loop"], "modules": {"loop": "import 'loop'; export const a = 1; await import('loop')"}}
for (;;) await import('loop')
//// run: modules that import what is not there => *; {"authorizedImports": ["broken"], "modules": {"broken": "import 'other'"}}
for (;;) try { await import('broken') } catch {}
//// run: imports in code that is made => *
for (let i = 0; ; i++) try { await eval(`import('x${i}' + 'y'.repeat(1e5))`) } catch {}
//// run: options of an import => *
for (let i = 0; ; i++) import('x'.repeat(1e5) + i, { with: { type: 'x'.repeat(1e5) } }).catch(() => {})
