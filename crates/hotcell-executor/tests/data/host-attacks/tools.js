//// run: arguments in flight => *
const text = 'x'.repeat(5e6); for (;;) never(text)
//// run: arguments in flight, as many as may be => *; {"maxToolCalls": 1000000000, "maxToolCallsInFlight": 1000000000}
const text = 'x'.repeat(1000); for (;;) never(text)
//// run: empty calls in flight => *; {"maxToolCalls": 1000000000, "maxToolCallsInFlight": 1000000000}
for (;;) never()
//// run: arguments in flight that take more room outside => *; {"maxToolCalls": 1000000000, "maxToolCallsInFlight": 1000000000}
const list = Array(20000).fill(null); for (;;) never(list)
//// run: arguments in flight that are awaited => *
await Promise.all(Array.from({ length: 900 }, () => never('x'.repeat(1e5))))
//// run: one call and no answer => timeout
await never(1)
//// run: large arguments, answered at once => *
const text = 'x'.repeat(5e6); for (;;) later(text)
//// run: large arguments, answered and awaited => *
const text = 'x'.repeat(5e6); for (;;) await later(text)
//// run: large arguments there and back => *
let text = 'x'.repeat(5e6); for (;;) text = echo(text)
//// run: large values there and back => *
let list = Array.from({ length: 30000 }, (_, i) => ({ i })); for (;;) list = echo(list)
//// run: small calls without end => *; {"maxToolCalls": 1000000000}
for (;;) echo(1)
//// run: small calls without end, asynchronous => *; {"maxToolCalls": 1000000000, "maxToolCallsInFlight": 1000000000}
for (;;) later(1)
//// run: small calls without end, awaited => *; {"maxToolCalls": 1000000000}
for (;;) await later(1)
//// run: calls in flight beyond their number => *
const text = 'x'.repeat(1e5); for (;;) never(text).catch(() => {})
//// run: refused calls with large arguments => *; {"maxToolCalls": 1000000000}
const text = 'x'.repeat(1e6); for (;;) try { denied(text) } catch {}
//// run: refused calls => *; {"maxToolCalls": 1000000000}
for (;;) try { denied() } catch {}
//// run: calls that need approval => *
const text = 'x'.repeat(1e6); for (;;) asked(text).catch(() => {})
//// run: calls that need approval, awaited => *
for (;;) try { await asked({ list: Array(1000).fill('x'.repeat(100)) }) } catch {}
//// run: calls that fail with long messages => *
const text = 'x'.repeat(1e6); for (;;) try { boom(text) } catch {}
//// run: arguments that do not fit the schema and are quoted => *; {"maxToolCalls": 1000000000}
const text = 'x'.repeat(1e6); for (;;) try { checked({ text: [text], count: text }) } catch {}
//// run: arguments that do not fit the schema in many places => *
for (;;) try { checked({ text: 'x', list: Array(50000).fill('x') }) } catch {}
//// run: arguments with more than the schema has => *
const o = { text: 'x' }; for (let i = 0; i < 30000; i++) o['p' + i] = i; for (;;) try { checked(o) } catch {}
//// run: bytes for a schema => *
for (;;) try { checked({ text: new Uint8Array(5e6) }) } catch {}
//// run: views of the same bytes for a schema => *
const b = new ArrayBuffer(1e6); const list = Array.from({ length: 10000 }, (_, i) => new Uint8Array(b, i)); for (;;) try { checked({ list }) } catch {}
//// run: BigInts for a schema => *
const big = 2n ** 1000000n; const list = Array.from({ length: 60 }, (_, i) => big + BigInt(i)); for (;;) try { checked({ text: 'x', list }) } catch {}
//// run: text for a pattern => *
checked({ text: 'a'.repeat(30) + 'b', code: 'a'.repeat(4e6) + 'b' })
//// run: an address for a format => *
checked({ text: 'x', mail: ('a'.repeat(60) + '.').repeat(60000) + '@' + 'b.'.repeat(60000) })
//// run: a list of what has to be different => *
checked({ text: 'x', unique: Array.from({ length: 60000 }, (_, i) => ({ i })) })
//// run: arguments one by one => *
for (;;) try { positional('x'.repeat(1e6), ...Array(50000).fill(1)) } catch {}
//// run: sixty thousand arguments => *
for (;;) echo(...Array(60000).fill(1))
//// run: large BigInts as arguments => *
const big = 2n ** 1000000n; const list = Array.from({ length: 60 }, (_, i) => big + BigInt(i)); for (;;) echo(list)
//// run: small BigInts as arguments that are recorded => *
const big = 2n ** 100000n; for (let i = 0; i < 80; i++) echo(big)
//// run: regular expressions that Node has not as arguments => *
for (let i = 0; i < 100; i++) echo(/(?i:a)/); await later([/(?i:a)/]); 1
//// run: times that are none as arguments => *
for (let i = 0; i < 100; i++) echo(new Date(NaN)); 1
//// run: what cannot leave as an argument => *
for (;;) try { echo(() => 1, 'x'.repeat(1e6)) } catch {}
//// run: deep arguments => *
let o = {}; for (let i = 0; i < 900; i++) o = { o }; for (;;) echo(o)
//// run: deep arguments from deep in the stack => *
let o = {}; for (let i = 0; i < 990; i++) o = { o }; function f(n) { if (n > 0) return f(n - 1) + 1; return echo(o) } f(9900)
//// run: getters that call tools => *
const o = { get a() { return echo({ get b() { return echo(o) } }) } }; echo(o)
//// run: getters that call tools with large values => *
let n = 0; const o = { get a() { n += 1; return n < 500 ? echo(o, 'x'.repeat(1e5)) : 1 } }; echo(o)
//// run: getters that throw => *
for (;;) try { echo({ big: 'x'.repeat(1e6), get a() { throw 1 } }) } catch {}
//// run: a proxy as an argument => *
for (;;) try { echo(new Proxy({}, { ownKeys: () => Array.from({ length: 1e4 }, (_, i) => 'k' + i) })) } catch {}
//// run: answers that nobody reads => *
for (let i = 0; i < 500; i++) later('x'.repeat(1e5)); 1
//// run: answers that come when the run is over => *
for (let i = 0; i < 1000; i++) later(i).then((n) => { for (;;) later(n) }); 1
//// run: errors of tools that are kept => *
const keep = []; const text = 'x'.repeat(1e5); for (;;) try { boom(text) } catch (e) { keep.push(e) }
//// run: errors of tools, by the thousand and not handled => *
for (let i = 0; i < 900; i++) fails('x'.repeat(1e4)); 1
//// run: holes as arguments => *
for (;;) try { echo(Array(4294967295)) } catch {}
//// run: many holes as arguments => *
for (;;) try { echo(Array(2e5), Array(2e5)) } catch {}
//// run: the same large object in many arguments => *
const o = { text: 'x'.repeat(1e5) }; for (;;) echo(...Array(1000).fill(o))
//// run: keys of a map that are objects as arguments => *
const m = new Map(Array.from({ length: 10000 }, (_, i) => [{ i }, i])); for (;;) checked({ text: 'x', list: [m] })
//// run: an argument of keys that V8 hashes alike => *
echo(new Set(Array.from({ length: 60000 }, (_, i) => (BigInt(i) << 64n) + 1n)))
//// run: an argument of emojis => *
echo(new RegExp('\\p{RGI_Emoji}'.repeat(60), 'iv'))
//// run: a search for much => *
const words = 'tool '.repeat(1e6); for (;;) searchTools(words)
//// run: a search for a word that is long => *
const word = 'x'.repeat(7e6); for (;;) searchTools(word, 50)
//// run: a search for halves of characters => *
const word = '\ud800'.repeat(2e6); for (;;) searchTools({ query: word })
//// run: searches without end => *; {"maxToolCalls": 1000000000}
for (let i = 0; ; i++) searchTools('tool ' + i)
//// run: declarations of tools that there are not => *; {"maxToolCalls": 1000000000}
const name = 'x'.repeat(1e6); for (let i = 0; ; i++) try { describeTool(name + i) } catch {}
//// run: large answers that nobody looks at => *
for (let i = 0; i < 900; i++) { large().catch(() => {}); for (let j = 0; j < 2e4; j++); } for (;;);
//// run: large answers in flight => *
const all = []; for (let i = 0; i < 900; i++) all.push(large()); await Promise.all(all)
