//// files: answers that nobody looks at => *
await writeText('a', 'x'.repeat(8e6)); for (let i = 0; i < 200; i++) { readText('a').catch(() => {}); for (let j = 0; j < 1e5; j++); } for (;;);
//// files: bytes that nobody looks at => *
await writeText('a', 'x'.repeat(8e6)); for (let i = 0; i < 200; i++) { readBytes('a').catch(() => {}); for (let j = 0; j < 1e5; j++); } for (;;);
//// files: texts that are kept => *
await writeText('a', 'x'.repeat(8e6)); const all = []; for (;;) all.push(readText('a').catch(() => {}))
//// files: texts that are awaited and kept => *
await writeText('a', 'x'.repeat(8e6)); const all = []; for (;;) all.push(await readText('a'))
//// files: writes in flight => *
const text = 'x'.repeat(3e6); for (let i = 0; ; i++) writeText('a' + i, text).catch(() => {})
//// files: writes until it is full => *
const text = 'x'.repeat(3e6); for (let i = 0; ; i++) await writeText('a' + i, text)
//// files: files by the thousand => *
for (let i = 0; ; i++) writeText('d/' + i, 'x').catch(() => {})
//// files: as the tool for models' eyes => *
const text = 'x'.repeat(3e6); for (let i = 0; ; i++) write({ path: 'a' + i, content: text }).catch(() => {})
//// files: directories in directories => *
await writeText('a/'.repeat(5000) + 'x', '1').catch(() => {}); for (;;) await find({ pattern: '**/x' }).catch(() => {})
//// files: a path of steps up => *
for (;;) readText('../'.repeat(1e6)).catch(() => {})
//// files: names that are no text => *
for (;;) await writeText('\ud800'.repeat(1e5), 'x').catch(() => {})
//// files: a pattern that would backtrack => *
await writeText('a', 'x'.repeat(3e6)); for (;;) await grep({ pattern: '(x+x+)+y' }).catch(() => {})
//// files: a pattern that is large once compiled => *
await writeText('a', 'x'.repeat(3e6)); for (;;) await grep({ pattern: '(x{1,1000}){1,1000}' }).catch(() => {})
//// files: patterns of 3 MB => *
for (;;) grep({ pattern: 'a'.repeat(3e6) }).catch(() => {})
//// files: many patterns at once => *
await writeText('a', 'x\n'.repeat(3e6)); for (let i = 0; ; i++) grep({ pattern: '\\p{L}{1,100}' + i }).catch(() => {})
//// files: a glob of choices => *
for (;;) find({ pattern: '{a,b}'.repeat(20000) }).catch(() => {})
//// files: a glob of choices in choices => *
for (;;) await find({ pattern: '{a,'.repeat(1000) + 'b' + '}'.repeat(1000) }).catch(() => {})
//// files: a glob of stars => *
for (let i = 0; i < 100; i++) await writeText('a'.repeat(200) + i, 'x'); for (;;) await find({ pattern: '*a'.repeat(50) + 'b' }).catch(() => {})
//// files: empty lines => *
await writeText('a', '\n'.repeat(8e6)); let n = 0; for await (const line of readLines('a')) n += 1; n
//// files: one line => *
await writeText('a', 'x'.repeat(8e6)); let n = 0; for await (const line of readLines('a')) n += line.length; n
//// files: lines of many readers => *
await writeText('a', '\n'.repeat(8e6)); const all = []; for (let i = 0; i < 900; i++) { const lines = readLines('a')[Symbol.asyncIterator](); all.push(lines, lines.next()) } await Promise.all(all)
//// files: JSON that is deep => *
await writeText('a', '['.repeat(4e6)); await readJson('a')
//// files: JSON of zeros => *
await writeText('a', '[' + '0,'.repeat(4e6) + '0]'); await readJson('a')
//// files: JSON of zeros, in flight => *
await writeText('a', '[' + '0,'.repeat(1e6) + '0]'); for (;;) readJson('a').catch(() => {})
//// files: JSON of keys => *
await writeText('a', '{' + Array.from({ length: 1e5 }, (_, i) => `"k${i}":1`).join() + '}'); for (;;) await readJson('a')
//// files: an edit whose text is nearly there => *
await writeText('a', 'ab'.repeat(2e6)); for (;;) await edit({ path: 'a', edits: [{ oldText: 'ab'.repeat(1e6) + 'c', newText: 'x' }] }).catch(() => {})
//// files: edits by the thousand => *
await writeText('a', 'a\n'.repeat(1e6)); for (;;) await edit({ path: 'a', edits: Array.from({ length: 2000 }, (_, i) => ({ oldText: 'a\n'.repeat(500) + i, newText: 'x' })) }).catch(() => {})
//// files: an edit of what occurs everywhere => *
await writeText('a', 'a'.repeat(4e6)); for (;;) await edit({ path: 'a', oldText: 'a'.repeat(1e6), newText: 'b' }).catch(() => {})
//// files: lists of everything => *
for (let i = 0; i < 2000; i++) await writeText('d/' + i, ''); for (;;) list('.', { recursive: true }).catch(() => {})
//// files: arguments of the wrong kind => *
const o = { path: Array(20000).fill({ a: 'x'.repeat(100) }) }; for (;;) read(o).catch(() => {})
//// files: a picture that is none => *
await writeText('a.png', '\x89PNG\r\n\x1a\n' + 'x'.repeat(3e6)); for (;;) read({ path: 'a.png' }).catch(() => {})
//// files: an offset beyond everything => *
await writeText('a', 'x\n'.repeat(2e6)); for (;;) await read({ path: 'a', offset: 1e15, limit: 1e15 }).catch(() => {})
