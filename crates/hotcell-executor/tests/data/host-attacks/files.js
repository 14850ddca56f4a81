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
//// files: an edit of nothing but line breaks => *
await writeText('a', '\n'.repeat(8e6)); for (;;) await edit({ path: 'a', oldText: 'zz', newText: 'x' }).catch(() => {})
//// files: a few line breaks less => *
await writeText('a', '\n'.repeat(3e6)); for (;;) await edit({ path: 'a', oldText: 'zz', newText: 'x' }).catch(() => {})
//// files: edits of all line breaks => *
await writeText('a', '\n'.repeat(2e6)); await edit({ path: 'a', oldText: '\n'.repeat(2e6), newText: 'x\n'.repeat(1e6) })
//// files: an edit with a diff of each line => *
const lines = (a) => Array.from({ length: 1000 }, (_, i) => '//' + i + '\n' + (a + '\n').repeat(1500)).join(''); await writeText('a', lines('a')); const edits = Array.from({ length: 1000 }, (_, i) => ({ oldText: '//' + i + '\n' + 'a\n'.repeat(1500), newText: '//' + i + '\n' + 'b\n'.repeat(1500) })); await edit({ path: 'a', edits })
//// files: an edit of two halves without common lines => *
const lines = (a) => Array.from({ length: 200000 }, (_, i) => a + i).join('\n'); const old = lines('a'); await writeText('a', old); await edit({ path: 'a', oldText: old, newText: lines('b') })
//// files: an edit of what looks alike in many long lines => *
const line = 'ab'.repeat(99); await writeText('a', (line + '\n').repeat(20000)); for (;;) await edit({ path: 'a', oldText: 'ba'.repeat(98) + 'c', newText: 'x' }).catch(() => {})
//// files: an edit of combining characters => *
await writeText('a', 'a' + '\u0301\u0316'.repeat(1e6)); for (;;) await edit({ path: 'a', oldText: '\u2019', newText: 'x' }).catch(() => {})
//// files: an edit of ligatures => *
await writeText('a', ('\ufdfa'.repeat(100) + '\n').repeat(10000)); for (;;) await edit({ path: 'a', oldText: '\u2019', newText: 'x' }).catch(() => {})
//// files: many edits of quotes on one long line => *
const n = 3000; await writeText('a', Array.from({ length: n }, (_, i) => `'${i}'` + 'x'.repeat(1000)).join('')); await edit({ path: 'a', edits: Array.from({ length: n }, (_, i) => ({ oldText: `\u2018${i}\u2019`, newText: 'y' })) })
//// files: edits in flight => *
await writeText('a', 'ab\r\n'.repeat(1e6)); for (let i = 0; ; i++) edit({ path: 'a', oldText: 'zz' + i, newText: 'x' }).catch(() => {})
//// files: a picture that is much larger than it looks => *
const four = (n) => String.fromCharCode(n & 127, n >> 8 & 127, n >> 16 & 127, n >> 24 & 127); await writeText('a', 'BM' + four(99) + four(0) + four(54) + four(40) + four(4096) + four(8192) + '\x01\0\x18\0' + four(0).repeat(6) + '\0'.repeat(8e6)); for (;;) await read({ path: 'a' }).catch(() => {})
//// files: pictures in flight => *
const four = (n) => String.fromCharCode(n & 127, n >> 8 & 127, n >> 16 & 127, n >> 24 & 127); await writeText('a', 'BM' + four(99) + four(0) + four(54) + four(40) + four(1024) + four(1024) + '\x01\0\x18\0' + four(0).repeat(6) + 'x'.repeat(3.2e6)); for (;;) read({ path: 'a' }).catch(() => {})
//// files: a picture of runs => *
const four = (n) => String.fromCharCode(n & 127, n >> 8 & 127, n >> 16 & 127, n >> 24 & 127); await writeText('a', 'BM' + four(99) + four(0) + four(54) + four(40) + four(16384) + four(4096) + '\x01\0\x08\0' + four(1) + four(0).repeat(5) + '\x7fx'.repeat(1e6)); for (;;) await read({ path: 'a' }).catch(() => {})
//// files: rules to ignore everything => *
await writeText('.gitignore', 'a\n'.repeat(1e5)); await writeText('d/.gitignore', 'b*c\n'.repeat(6e4)); await writeText('d/d/.ignore', '*x?[ab]\n'.repeat(3e4)); await writeText('d/d/d/x', ''); for (;;) await find({ pattern: 'x' }).catch(() => {})
//// files: rules in every directory => *
for (let i = 0; i < 300; i++) await writeText('d/'.repeat(i % 60) + i + '/.gitignore', '*a?b' + i + '\n' + '!c\n'.repeat(1000)); for (;;) await grep({ pattern: 'x' }).catch(() => {})
//// files: a long line, many times => *
await writeText('a', 'x'.repeat(8e6)); const all = []; for (let i = 0; i < 900; i++) { const lines = readLines('a')[Symbol.asyncIterator](); all.push(lines, lines.next()) } await Promise.all(all)
//// files: long lines in a cell that is full => *
globalThis.kept = new Uint8Array(40e6).fill(1); await writeText('a', 'x'.repeat(7e6)); const all = []; for (let i = 0; i < 900; i++) all.push(readText('a').catch(() => {})); for (;;);
//// files: a pattern of a thousand choices => *
await writeText('a', 'x'.repeat(3e6)); for (let i = 0; ; i++) await grep({ pattern: '(?i)' + Array.from({ length: 1000 }, (_, j) => 'word' + i + j).join('|') }).catch(() => {})
//// files: patterns without end => *
for (;;) grep({ pattern: '(?:a)*'.repeat(5e5) }).catch(() => {})
//// files: classes of everything => *
await writeText('a', 'x\n'.repeat(1e6)); for (;;) await grep({ pattern: '[\\w&&[^a]]{1,30}'.repeat(40), ignoreCase: true }).catch(() => {})
//// files: context without end => *
await writeText('a', 'x\n'.repeat(3e6)); for (;;) await grep({ pattern: '^y', context: 50000 }).catch(() => {})
//// files: small objects as arguments, a thousand times => *
const list = Array.from({ length: 3000 }, () => ({ a: { b: 1 } })); for (let i = 0; i < 1000; i++) read({ path: list }).catch(() => {}); for (;;);
//// files: a path of a million names => *
for (;;) await readText('a/'.repeat(1e6)).catch(() => {})
//// files: paths that must be spelled in other ways => *
for (;;) await readText('e\u0301 AM.'.repeat(1000)).catch(() => {})
//// files: names that are long, listed again and again => *
for (let i = 0; i < 300; i++) await writeText(('\u0001'.repeat(250) + '/').repeat(14) + i, ''); for (;;) list('.', { recursive: true }).catch(() => {})
//// files: a text of half characters => *
const text = '\ud800'.repeat(2e6); for (;;) writeText('a', text).catch(() => {})
