//// run: a path that is not ASCII => *
new URL('http://x/' + 'é'.repeat(3e6)).href.length
//// run: a query that is not ASCII => *
new URL('http://x/?' + '\u{10ffff}'.repeat(1e6)).href.length
//// run: a host that is not ASCII => *
URL.canParse('http://' + 'é'.repeat(2e6) + '/')
//// run: a host of many labels => *
URL.canParse('http://' + 'é.'.repeat(1e6) + 'x/')
//// run: a host in punycode => *
URL.canParse('http://xn--' + 'a'.repeat(2e6) + '/'); URL.canParse('http://' + 'xn--a.'.repeat(4e5) + '/')
//// run: a host of percents => *
URL.canParse('http://' + '%41'.repeat(2e6) + '/')
//// run: a host that has to be normalised => *
URL.canParse('http://' + 'a\u0301\u0323'.repeat(6e5) + '/'); URL.canParse('http://' + '\u1e9b\u0323'.repeat(6e5) + '/')
//// run: an address of many parts => *
URL.canParse('http://' + '1.'.repeat(2e6) + '/'); URL.canParse('http://[' + '1:'.repeat(2e6) + ']/')
//// run: a port of many digits => *
URL.canParse('http://x:' + '0'.repeat(5e6) + '1/')
//// run: a path that goes up and down => *
new URL('http://x/' + 'a/../'.repeat(1e6)).href
//// run: a path that goes up from a long way down => *
new URL('../'.repeat(5e5), 'http://x/' + 'a/'.repeat(1e6)).href.length
//// run: backslashes => *
new URL('http:\\\\x\\' + '\\'.repeat(5e6)).href.length
//// run: spaces around => *
new URL(' '.repeat(3e6) + 'http://x/' + ' '.repeat(3e6)).href
//// run: tabs within => *
new URL('ht\ttp://x/' + 'a\t\n'.repeat(2e6)).href.length
//// run: a user of many signs => *
new URL('http://' + '@'.repeat(2e6) + 'x/').href.length
//// run: a user and a password => *
new URL('http://' + ':'.repeat(2e6) + '@x/').href.length
//// run: larger than values may be => *
URL.canParse('http://x/' + 'a'.repeat(3e7))
//// run: addresses without end => timeout
for (let i = 0; ; i++) new URL('http://é' + i + '.example/é?é#é')
//// run: addresses without end, large ones => *
const path = 'é'.repeat(1e5); for (;;) new URL('http://x/' + path)
//// run: parts that are set => *
const u = new URL('http://x/'); for (;;) { u.pathname += '/é'.repeat(1000); u.search = u.pathname; u.hash = u.search }
//// run: hosts that are set => *
const u = new URL('http://x/'); for (let i = 1; ; i++) u.host = 'é'.repeat(i * 100) + '.x'
//// run: parameters => *
new URLSearchParams('é=é&'.repeat(5e5)).toString().length
//// run: parameters one by one => *
const p = new URLSearchParams(); for (let i = 0; ; i++) p.append('é' + i, 'é')
//// run: parameters of an address one by one => *
const u = new URL('http://x/'); for (let i = 0; ; i++) u.searchParams.append('é' + i, 'é')
//// run: parameters that are sorted => *
const p = new URLSearchParams(Array.from({ length: 50000 }, (_, i) => ['k' + (i * 7919 % 50000), 'v'])); p.sort(); u = [...p].length
//// run: parameters that are deleted => *
const p = new URLSearchParams(Array.from({ length: 50000 }, (_, i) => ['k' + i, 'v'])); for (let i = 0; i < 50000; i++) p.delete('k' + i)
//// run: parameters of percents => *
new URLSearchParams('%'.repeat(5e6)).toString().length
//// run: parameters that are printed => *
console.log(new URLSearchParams('a=b&'.repeat(1e5)), new URL('http://x/' + 'é'.repeat(1e6)))
//// run: an address as a result => *
new URL('http://x/' + 'é'.repeat(1e6))
//// run: objects as addresses => *
let n = 0; URL.canParse({ toString() { n += 1; return n < 1000 ? String(new URL(this, 'http://x/')) : '/x' } }, 'http://x/')
