//// run: long texts encoded => *
new TextEncoder().encode('é'.repeat(1e7)).length
//// run: long texts of halves of characters encoded => *
new TextEncoder().encode('\ud800'.repeat(5e6)).length
//// run: texts encoded without end => *
const e = new TextEncoder(), text = 'é'.repeat(1e6), into = new Uint8Array(3e6); for (;;) e.encodeInto(text, into)
//// run: bytes that are no text => *
new TextDecoder().decode(new Uint8Array(1e7).fill(0xff)).length
//// run: bytes that begin a text and do not end it => *
new TextDecoder().decode(new Uint8Array(1e7).fill(0xf0)).length
//// run: bytes one by one => *
const d = new TextDecoder(), one = Uint8Array.of(0xe2); for (;;) d.decode(one, { stream: true })
//// run: bytes of other encodings => *
for (const label of ['utf-16le', 'utf-16be', 'latin1', 'windows-1252', 'shift_jis', 'gb18030']) try { new TextDecoder(label).decode(new Uint8Array(5e6).fill(0xd8)) } catch {}
//// run: labels that are long => *
new TextDecoder('x'.repeat(1e7))
//// run: bytes that must be text => *
new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(1e7).fill(0xff))
//// run: base64 of a long text => *
atob(btoa('x'.repeat(8e6))).length
//// run: base64 that is none => *
atob('='.repeat(1e7))
//// run: base64 with spaces => *
atob('QQ '.repeat(3e6))
//// run: base64 of what cannot be => *
btoa('x'.repeat(1e7) + 'é')
//// run: base64 without end => *
let s = 'x'; for (;;) s = btoa(s)
//// run: percents of a long text => *
decodeURIComponent(encodeURIComponent('é'.repeat(2e6))).length
//// run: percents that are none => *
decodeURIComponent('%'.repeat(1e7))
//// run: a clone of what is deep => *
let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; structuredClone(o)
//// run: a clone of what is wide => *
structuredClone(Array.from({ length: 500000 }, (_, i) => i)).length
//// run: clones of clones => *
let o = { text: 'x'.repeat(1e5) }; for (;;) o = structuredClone({ o, p: o })
//// run: clones of bytes => *
const b = new Uint8Array(2e7); for (;;) structuredClone(b)
//// run: clones that move bytes => *
let b = new ArrayBuffer(2e7); for (;;) b = structuredClone(b, { transfer: [b] })
//// run: clones of cycles => *
const all = []; for (let i = 0; i < 100000; i++) all.push({ all }); structuredClone(all).length
//// run: clones of errors => *
let e = new Error('x'); for (let i = 0; i < 5000; i++) e = new Error('y'.repeat(1000), { cause: e }); structuredClone(e)
//// run: clones of what changes => *
const o = { get a() { o['k' + Math.abs(Object.keys(o).length)] = 'x'.repeat(1e5); return o } }; structuredClone(o)
//// run: clones of BigInts => *
const big = 2n ** 1000000n; for (;;) structuredClone([big, big, big])
//// run: clones of regular expressions => *
structuredClone(Array.from({ length: 50000 }, () => /(?<a>x)|(?<a>y)/)).length
//// run: text of JSON => *
let s = '"'; for (;;) s = JSON.stringify(s)
//// run: JSON that is deep => *
JSON.parse('['.repeat(5e6))
//// run: JSON with numbers => *
JSON.parse('[' + '1e308,'.repeat(1e6) + '1]').length
