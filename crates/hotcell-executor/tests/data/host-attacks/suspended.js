//// suspend: one call => ok timeout
await defer(1)
//// suspend: calls by the thousand => *
await Promise.all(Array.from({ length: 900 }, (_, i) => defer(i)))
//// suspend: as many calls as may be => *; {"maxToolCalls": 1000000000, "maxToolCallsInFlight": 1000000000}
await Promise.all(Array.from({ length: 30000 }, (_, i) => defer(i)))
//// suspend: large arguments => *
await Promise.all(Array.from({ length: 9 }, () => defer('x'.repeat(5e6))))
//// suspend: much that was printed => *; {"maxLogBytes": 100000000}
for (let i = 0; i < 1e5; i++) console.log('x'); await defer(1)
//// suspend: a large program => *
/* @repeat(500000, "é") */ await defer(1); null.x
//// suspend: a program that takes long to look at => *
await defer(1); @repeat(60000, "f(1,[2]);")
//// suspend: again and again => *
for (;;) await defer('x'.repeat(1e5))
//// suspend: answers that come at once => *
for (let i = 0; i < 1e4; i++) defer(i).then(() => { for (;;) defer(i) }); await defer(0)
//// suspend: positional arguments => *
await Promise.all(Array.from({ length: 500 }, (_, i) => deferPositional('x'.repeat(1e4), i)))
//// suspend: memory that is full => *
globalThis.keep = []; try { for (;;) keep.push(new Uint8Array(1e6).fill(keep.length)) } catch {} keep.pop(); await defer(1)
