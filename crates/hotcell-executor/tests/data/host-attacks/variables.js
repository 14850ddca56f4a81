//// variables: a text of 7 MB => ok
'x'.repeat(7e6)
//// variables: a text that is not ASCII => *
'é'.repeat(2e6)
//// variables: as many numbers as may be => *
Array.from({ length: 200000 }, (_, i) => i / 7)
//// variables: as many objects as may be => *
Array.from({ length: 40000 }, (_, i) => ({ a: i, b: 'x' }))
//// variables: objects without a key in common => *
Array.from({ length: 40000 }, (_, i) => ({ ['k' + i]: i }))
//// variables: nested as deep as may be => *
let o = {}; for (let i = 0; i < 990; i++) o = { o }; o
//// variables: cycles => *
const all = []; for (let i = 0; i < 20000; i++) all.push({ all }); all
//// variables: bytes => ok timeout
new Uint8Array(7e6).fill(1)
//// variables: large BigInts => *
const big = 2n ** 1000000n; Array.from({ length: 50 }, (_, i) => big + BigInt(i))
//// variables: a large map => *
new Map(Array.from({ length: 60000 }, (_, i) => [i, 'v' + i]))
//// variables: holes => *
const a = Array(200000); a[7] = 1; a
//// variables: errors => *
Array.from({ length: 10000 }, (_, i) => new Error('e' + i, { cause: { i } }))
//// variables: regular expressions => *
Array.from({ length: 20000 }, (_, i) => new RegExp('(?<a>x)|(?<a>y)|a{' + i + '}'))
//// variables: keys that are prototypes => *
JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}')
