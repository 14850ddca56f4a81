// Writes url.json: what Node's `URL` and `URLSearchParams` answer. Run with Node 20: `node generate-url.mjs`.
import { quote, write } from './corpus.mjs';

// Younger than Node 20; the corpus only uses it where its answer follows from the constructor's.
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);

const codes = [];
const names = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'];
const parts = names.map((name) => `u.${name}`).join(',');
const parse = (input, base) => {
  const args = base === undefined ? quote(input) : `${quote(input)},${quote(base)}`;
  codes.push(`((u) => u && [${parts}])(URL.parse(${args}))`);
};

const absolute = [
  'http://example.com', 'http://example.com/', 'https://example.com:443/', 'https://example.com:8443/a', 'http://example.com:80',
  'ftp://example.com:21/x', 'ws://example.com:80/x', 'wss://example.com:443/x', 'HTTP://EXAMPLE.com/PaTh', ' http://a.b/c ',
  '\thttp://a\n.b/c\r', 'http:example.com', 'http:/example.com', 'http:///example.com', 'http:\\\\example.com\\a\\b', 'https:////x',
  'http://user@host/', 'http://user:pass@host/', 'http://user:@host/', 'http://:pass@host/', 'http://@host/', 'http://:@host/',
  'http://us%20er:p%40ss@host/', 'http://us er:p@ss:w@host/', 'http://ü:é@host/', 'http://a:b@c:d@host/', 'http://user[]^|@host/',
  'http://host:0/', 'http://host:65535/', 'http://host:65536/', 'http://host:0080/', 'http://host:00000000000080/', 'http://host:8a/',
  'http://host:/', 'http://host:-1/', 'http://host: 80/', 'http://', 'http://?', 'http://#', 'http:///', 'https://:80/', 'http://a b/',
  'http://a<b/', 'http://a>b/', 'http://a^b/', 'http://a|b/', 'http://a%b/', 'http://a%41b/', 'http://a%2Fb/', 'http://a%00b/', 'http://a"b/',
  'http://a`b/', 'http://a{b}/', 'http://[::1]/', 'http://[::1]:80/', 'http://[2001:DB8::1]:8080/x', 'http://[1:2:3:4:5:6:7:8]/',
  'http://[::ffff:192.168.0.1]/', 'http://[::127.0.0.1]/', 'http://[1:0:0:2:0:0:0:3]/', 'http://[1::2::3]/', 'http://[::1%25eth0]/',
  'http://[::1/', 'http://::1]/', 'http://[g::1]/', 'http://[1:2:3:4:5:6:7]/', 'http://[1:2:3:4:5:6:7:8:9]/', 'http://[0:0:0:0:0:0:0:0]/',
  'http://[::1.2.3]/', 'http://[::1.2.3.256]/', 'http://[1:2:3:4:5:6:1.2.3.4]/', 'http://[fe80::00a0]/', 'http://127.0.0.1/', 'http://127.1/',
  'http://0x7f.1/', 'http://0177.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://4294967295/', 'http://4294967296/', 'http://256.1.1.1/',
  'http://1.2.3.4.5/', 'http://1.2.3.4./', 'http://1.2.3.08/', 'http://1.2.3.0x/', 'http://0x/', 'http://1.2.3.x/', 'http://1..2/', 'http://.1.2.3/',
  'http://0xffffffff/', 'http://0x100000000/', 'http://a.1/', 'http://1.a/', 'http://999999999999/', 'http://1.2.3.4a/', 'http://①②⑦.0.0.1/',
  'http://ä.de/', 'http://münchen.example/', 'http://例え.テスト/', 'http://xn--mnchen-3ya.de/', 'http://faß.de/', 'http://FAẞ.de/', 'http://ΒΌΛΟΣ.com/',
  'http://☃.net/', 'http://I❤.ws/', 'http://ａｂｃ.com/', 'http://a。b/', 'http://xn--/', 'http://xn--a/', 'http://xn--ls8h.la/', 'http://a\u00adb.com/',
  'http://\u200d.com/', 'http://a\u200cb.com/', 'http://a_b.com/', 'http://-a.com/', 'http://a-.com/', 'http://a--b.com/', 'http://ab--c.com/', 'http://a..b/',
  'http://.a/', 'http://a./', 'http://%E4%BD%A0.com/', 'http://%ef%bc%85%ef%bc%94%ef%bc%91.com/', 'http://مثال.إختبار/', 'http://אבa.com/', 'http://é.com', 'http://e\u0301.com',
  `http://${'a'.repeat(64)}.com/`, 'http://a.b.c.d.e.f.g/', 'file:', 'file:/', 'file://', 'file:///', 'file:///etc/passwd', 'file://host/share', 'file:c:/x',
  'file:///C|/a', 'file:///C:/../a', 'file://C:/a', 'file:\\\\host\\x', 'file://localhost/a', 'file:a/b', 'file:///a/../../b', 'file:///C:/a/../..', 'file:?q', 'file:#h',
  'file:///p?q#h', 'file://user@host/', 'file://host:80/', 'mailto:a@b.c', 'mailto:a b', 'data:text/plain,hello world#x y', 'data:,', 'javascript:alert(1)', 'about:blank',
  'blob:https://example.com/uuid', 'blob:null/uuid', 'blob:ftp://x/y', 'urn:isbn:123', 'tel:+1-2', 'foo://bar/baz', 'foo://BAR/Baz', 'foo:///baz', 'foo://', 'foo:/bar', 'foo:bar', 'foo:', 'foo:?q#h', 'foo://h:80/',
  'foo://a b/', 'foo://a%41/', 'foo://ä/', 'foo://[::1]/', 'foo://user:pw@h:1/p?q#f', 'foo:/a/../b', 'foo:/..//b', 'foo:a/../b', 'foo://h/a/./b/../c', 'non-special://h\\x/', 'web+demo:/.//not-a-host/', 'web+demo:/..//p',
  'a+b-c.d:x', '1a:x', ':x', 'a b:x', '', ' ', '//x', '/x', 'x', '?x', '#x', '::', 'http', 'http:', 'https:', 'git+ssh://git@github.com/a/b.git', 'jdbc:mysql://h/db', 'view-source:http://x/', 'redis://u:p@h:6379/0',
  'http://h/a b', 'http://h/a%20b', 'http://h/%', 'http://h/%zz', 'http://h/%2e', 'http://h/a/%2E%2e/b', 'http://h/a/.%2e', 'http://h/./', 'http://h/../..', 'http://h/a/./b/../c/', 'http://h//a//b', 'http://h/a;b=c', 'http://h/<>"`{}^|\\',
  'http://h/ü/日本', 'http://h/😀', 'http://h/\u0000', 'http://h/\u007f', 'http://h/a\tb\nc', 'http://h/\'()*!~', 'http://h?a b', 'http://h?a=ü', "http://h?'\"<>`#{}", 'http://h?%zz', 'http://h?', 'http://h?#', 'http://h#', 'http://h#a b<>"`{}', 'http://h#ü#?', 'foo://h?\'',
  'http://h/?a=1&b=2#c=3', 'http://h/?\u0000', 'http://h/#\u0000x', 'http://h/ ', 'http://h/?x ', 'http://h/#x ', 'mailto:x ', 'mailto:x #y', 'http://h/a?b?c', 'http://h/a#b?c', 'https://ex%41mple.com/', 'https://exa%23mple.org', 'https://example.com:/', 'http://1e3/', 'http://0.0.0.0/', 'http://0/', 'http://08.1/',
];
absolute.forEach((input) => parse(input));

const base = 'http://user:pw@example.com:8080/dir/file?query#hash';
for (const input of [
  '', '.', '..', './', '../', 'x', './x', '../x', '../../../x', '/x', '//other', '//other/x', '//o:99/', '?', '?x', '#', '#x', 'http:x', 'http:/x', 'http://x', 'https:x', 'https://z/', 'mailto:x', '\\x', '\\\\o\\x', 'x/y/../z', 'x?y#z', ';x', 'a:b', 'c:\\x', ' x ', '%2e%2e/x', '.%2e', 'x%20y z', ':', ':80', '@x', '//', '///x', '//u@h', '//[::1]/',
]) parse(input, base);
for (const [input, against] of [
  ['x', 'mailto:a'], ['#x', 'mailto:a'], ['?x', 'mailto:a'], ['', 'mailto:a'], ['x', 'foo:/a/b'], ['../x', 'foo:/a/b/c'], ['//x', 'foo:/a'], ['/x', 'foo://h/a'], ['x', 'foo://h'], ['?q', 'foo://h/p'], ['x', 'data:text,a'], ['#f', 'data:text,a#b'],
  ['x', 'file:///a/b'], ['/x', 'file:///C:/b'], ['..', 'file:///C:/'], ['C|/x', 'file:///a'], ['D:/x', 'file:///C:/a'], ['//h/x', 'file:///a'], ['\\x', 'file:///C:/a'], ['?q', 'file:///C:/a'], ['#h', 'file://h/a'], ['', 'file:///a?b#c'], ['x', ''], ['x', 'not a url'], ['http://a/', 'not a url'], ['http://a/', 'http://b/'],
  ['x', 'blob:https://a/b'], ['.', 'http://h/a/b/'], ['..', 'http://h/a/b/'], ['../', 'http://h'], ['/..', 'http://h/a'], ['https:', 'https://h/a'], ['http:', 'https://h/a'], ['ws://x', 'http://h'], ['/', 'http://h/a?b'], ['\\/\\x', 'http://h'], ['/\t//x', 'http://h'], ['////', 'http://h'], ['///x', 'foo://h'], ['///x/y', 'file://h/a'], ['/C|/x', 'file:///'], ['C|', 'file:///a/b'], ['\\x', 'foo://h/a/b'], [' \\x\\y', 'foo:/a/b'], ['C|#x', 'file:///a/b'],
]) parse(input, against);

const set = (href, property, value) => codes.push(`((u) => { u.${property} = ${quote(value)}; return u.href; })(new URL(${quote(href)}))`);
const full = 'https://u:p@example.com:8080/a/b?q=1#h';
const changes = {
  protocol: ['http', 'http:', 'ftp:', 'HTTPS', 'foo', 'file', 'http:foo', '', '1x', 'h ttp', 'wss://x', 'é', ':'],
  username: ['', 'new', 'a:b', 'a@b', 'ü', '%41%zz', 'a b/?#[]^|', '\u0000'],
  password: ['', 'new', 'a:b', 'a@b', 'ü', '%41%zz', "a'b"],
  host: ['x.org', 'x.org:99', 'x.org:443', 'x.org:', ':99', '', 'x.org/path', 'x.org?q', 'x.org#h', 'a b', '[::1]', '[::1]:81', 'ÄB.de', '1.2', 'x.org:99999', 'x.org:9a', 'x\\y', 'u@x', 'xn--', '256.256.256.256'],
  hostname: ['x.org', 'x.org:99', '', ':', 'x.org/path', 'x.org?q', 'a b', '[::1]', 'ÄB.de', '0x7f.1', 'x\\y', '[::1]:3', 'a%41', '300.1.1.1'],
  port: ['', '1', '443', '080', '65536', '-1', '99a', 'a99', ' 99', '9 9', '8\t1', '1.5', '8080/x', '\u0661'],
  pathname: ['', '/', 'x', '/x/y', 'x y', '../z', '/a/../b', '?x', '#x', '%zz%41', 'ü', '\\x\\y', '//a', '/./', 'a\tb'],
  search: ['', '?', 'x', '?x', '??x', 'a b', '#x', "'", 'ü', '%zz', '?a=1&b=2', 'a\tb'],
  hash: ['', '#', 'x', '#x', '##x', 'a b', 'ü', '<>"`{}', '\u0000', 'a\nb'],
};
for (const [property, values] of Object.entries(changes)) for (const value of values) set(full, property, value);
for (const [href, property, value] of [
  ['file:///a', 'host', 'h'], ['file://h/a', 'host', ''], ['file:///a', 'port', '80'], ['file:///a', 'username', 'u'], ['file:///a', 'protocol', 'http'], ['file://h/a', 'protocol', 'http'], ['file:///a', 'hostname', 'localhost'], ['file:///a', 'pathname', '/C|/x'], ['file:///a', 'hostname', 'x:1'],
  ['mailto:a', 'pathname', 'b'], ['mailto:a', 'host', 'b'], ['mailto:a', 'search', 'x=1'], ['mailto:a', 'hash', 'x'], ['mailto:a', 'username', 'u'], ['mailto:a', 'port', '1'], ['mailto:a', 'protocol', 'http'], ['data:,x', 'search', 'q'],
  ['foo://h/a', 'host', ''], ['foo://h/a', 'host', 'x:1'], ['foo://h/a', 'hostname', 'ä'], ['foo://u@h/a', 'host', ''], ['foo://h:1/a', 'hostname', ''], ['foo:///a', 'port', '1'], ['foo:///a', 'username', 'u'], ['foo:/a', 'host', 'h'], ['foo://h', 'pathname', ''], ['foo://h', 'pathname', 'x'], ['foo:/a', 'pathname', '//b'], ['foo://h/a', 'protocol', 'bar'], ['foo://h/a', 'protocol', 'http'], ['foo://h/a', 'port', '80'], ['foo:/a', 'hostname', ''],
  ['http://h/', 'protocol', 'foo'], ['http://h:443/', 'protocol', 'https'], ['https://h:80/', 'protocol', 'http'], ['http://h/', 'port', '80'], ['http://h:80/', 'port', '8080'], ['http://h/', 'host', 'h:80'], ['http://u@h/', 'protocol', 'file'], ['http://h:1/', 'protocol', 'file'], ['http://h/', 'protocol', 'file'], ['http://h/?a', 'search', ''], ['http://h/#a', 'hash', ''], ['http://h/?a#b', 'search', '?'], ['http://h', 'username', ''], ['http://h/a', 'href', 'https://other/x?y#z'], ['http://u:p@h/', 'username', ''], ['http://u:p@h/', 'password', ''], ['http://h/', 'password', 'p'],
  ['web+demo:/.//p', 'pathname', '/x'], ['web+demo:/.//p', 'pathname', ''], ['web+demo:/.//p', 'search', 'q'], ['web+demo:/.//p', 'hash', 'h'], ['web+demo:/.//p', 'host', 'h'], ['web+demo:/.//p', 'protocol', 'other'], ['foo:/a?q#h', 'pathname', 'x?y#z'], ['foo:/a', 'pathname', '../..//c'], ['file:///C|/x', 'hash', 'h'], ['http://h/a', 'protocol', 'FILE:x'], ['ws://h/a', 'protocol', 'https'], ['http://h/a', 'pathname', '\t/b\nc'], ['http://h/a', 'protocol', 'ht\ttps'], ['http://h/a', 'username', 'a\tb'], ['http://h/a', 'port', '\n8\t1'], ['file://h/x', 'host', '/y'], ['file://h/x', 'hostname', '#y'],
]) set(href, property, value);

codes.push(
  // the live link between a URL and its parameters
  `((u) => { u.searchParams.append('b', '2 3'); return [u.href, u.search]; })(new URL('http://h/?a=1'))`,
  `((u) => { u.searchParams.delete('a'); return [u.href, u.search]; })(new URL('http://h/?a=1#x'))`,
  `((u) => { u.searchParams.set('a', 'ü&='); return u.href; })(new URL('http://h/?a=1&b=2&a=3'))`,
  `((u) => { const p = u.searchParams; u.search = '?z=9&y=8'; return [[...p], p === u.searchParams]; })(new URL('http://h/?a=1'))`,
  `((u) => { const p = u.searchParams; u.href = 'http://x/?n=m'; return [...p]; })(new URL('http://h/?a=1'))`,
  `((u) => { const p = u.searchParams; u.hash = '#q'; p.append('c', 'd'); return u.href; })(new URL('http://h/?a=1'))`,
  `((u) => { u.searchParams.sort(); return u.href; })(new URL('http://h/?z=1&a=2&z=0&b'))`,
  `((u) => { u.searchParams; u.search = ''; return [[...u.searchParams].length, u.href]; })(new URL('http://h/?z=1'))`,
  `((u) => { u.searchParams.append('k', "it's"); return u.href; })(new URL('foo://h/'))`,
  `((u) => { u.searchParams.append('a', 'b'); return u.href; })(new URL('mailto:x'))`,
  `((u) => { u.searchParams.delete('a', '1'); return u.href; })(new URL('http://h/?a=1&a=2'))`,
  `((u) => { u.searchParams.delete('nothing'); return u.href; })(new URL('http://h/?a=%20b&c=~'))`,
  `[...new URL("http://h/?a='b'&c=%FF&d=+e").searchParams]`,
  // statics, conversions, errors
  `[URL.canParse('http://x'), URL.canParse('x'), URL.canParse('x', 'http://y'), URL.canParse('x', 'y')]`,
  `[URL.parse('x'), URL.parse('x', 'http://y').href, URL.parse('http://x') instanceof URL]`,
  `JSON.stringify({ u: new URL('http://h/ä') })`,
  `String(new URL('http://h')) + new URL('http://h')`,
  `Object.prototype.toString.call(new URL('http://h'))`,
  `Object.prototype.toString.call(new URLSearchParams())`,
  `Object.prototype.toString.call(new URLSearchParams().keys())`,
  `[URL.name, URL.length, URLSearchParams.name, URLSearchParams.length, URL.canParse.length]`,
  `(() => { try { new URL('nope'); } catch (e) { return [e instanceof TypeError, e.name, e.message.startsWith('Invalid URL'), e.code, e.input]; } })()`,
  `(() => { try { new URL('//', 'http://b'); } catch (e) { return [e.code, e.input, e.base]; } })()`,
  `(() => { try { new URL('http://h').href = 'x'; } catch (e) { return [e instanceof TypeError, e.code, e.input]; } })()`,
  `(() => { try { new URL(); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { URL('http://x'); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URL('http://h', null); } catch (e) { return e.code; } })()`,
  `(() => { try { URL.prototype.toString.call({}); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { URLSearchParams.prototype.get.call({}, 'a'); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URL('http://h').origin = 'x'; } catch (e) { return e instanceof TypeError; } return 'ignored'; })() !== undefined`,
  `new URL('/x', new URL('http://h/a/b')).href`,
  `new URL({ toString() { return 'http://obj/'; } }).href`,
  `new URL('http://h/\\ud800').href`,
  `new URL('http://h', undefined).href`,
  `((u) => { u.pathname = 12; u.search = null; u.hash = undefined; return u.href; })(new URL('http://h'))`,
  `((u) => { u.port = 8080; return u.host; })(new URL('http://h'))`,
  `Object.keys(URL.prototype).sort()`,
  `Object.keys(URLSearchParams.prototype).sort()`,
  `new URL(new URL('http://h/a')).pathname`,
  `new URL('http://h/') == 'http://h/'`,
  `(class extends URL { get secure() { return this.protocol === 'https:'; } }).name`,
  `new (class Api extends URL { get secure() { return this.protocol === 'https:'; } })('https://h').secure`,
);

const params = (init) => codes.push(`[...new URLSearchParams(${init})]`, `String(new URLSearchParams(${init}))`);
for (const text of ['', '?', 'a', 'a=', '=a', '=', '&', '&&a=b&&', 'a=b&c=d', '?a=b', '??a=b', 'a=b=c', 'a+b=c+d', 'a%20b=c%2Bd', '%', '%zz=%4', 'a=%FF', 'a=%C3%A4', 'a=%E2%82', 'a=ä😀', "a='()*!~-._", 'a=%00', 'a=b#c', 'a;b=c', 'a[]=1&a[]=2', '%61=%62', 'a=%u0041', 'a=\ufeffx', 'a=%EF%BB%BFx', 'a=\ud800', 'a=%F0%9F%98%80', '__proto__=1&constructor=2']) params(quote(text));
for (const init of [
  `{ a: 1, b: 'x y', c: true, d: null, e: undefined }`, `{}`, `[['a', 'b'], ['a', 'c']]`, `[]`, `new Map([['a', 1], ['b', 2]])`, `new URLSearchParams('x=1&x=2')`, `Object.entries({ q: 'ü' })`,
  `(function* () { yield ['a', 'b']; })()`, `[new Set(['k', 'v'])]`, `undefined`, `12`, `{ 'a b': 'c&d' }`, `{ toString() { return 'x'; } , y: 1 }.y`, `[[1, 2]]`, `{ '2': 'b', '1': 'a' }`,
]) params(init);
codes.push(
  `((p) => [p.get('a'), p.get('z'), p.getAll('a'), p.getAll('z'), p.has('a'), p.has('z'), p.has('a', '2'), p.has('a', '9'), p.has('a', undefined), p.size])(new URLSearchParams('a=1&b=x&a=2'))`,
  `((p) => { p.append('a', 3); p.append('c', null); return String(p); })(new URLSearchParams('a=1'))`,
  `((p) => { p.delete('a'); return String(p); })(new URLSearchParams('a=1&b=2&a=3'))`,
  `((p) => { p.delete('a', '3'); return String(p); })(new URLSearchParams('a=1&b=2&a=3'))`,
  `((p) => { p.delete('a', undefined); return String(p); })(new URLSearchParams('a=1&b=2&a=3'))`,
  `((p) => { p.set('a', 'n'); return String(p); })(new URLSearchParams('b=0&a=1&b=2&a=3'))`,
  `((p) => { p.set('z', 'n'); return String(p); })(new URLSearchParams('a=1'))`,
  `((p) => { p.sort(); return String(p); })(new URLSearchParams('b=1&a=2&b=0&\\u{1f600}=x&\\uffff=y&A=3'))`,
  `((p) => { const seen = []; p.forEach(function (v, k, o) { seen.push([k, v, o === p, this.t]); }, { t: 1 }); return seen; })(new URLSearchParams('a=1&b=2'))`,
  `((p) => [[...p.keys()], [...p.values()], [...p.entries()]])(new URLSearchParams('a=1&b=2&a=3'))`,
  `((p) => { const seen = []; for (const [k] of p) { seen.push(k); p.delete(k); } return [seen, String(p)]; })(new URLSearchParams('a=1&b=2&c=3'))`,
  `((p) => { const seen = []; for (const [k, v] of p) { seen.push(k); if (seen.length < 5) p.append(k + v, v); } return seen; })(new URLSearchParams('a=1'))`,
  `((i) => [i.next(), i.next(), i.next()])(new URLSearchParams('a=1').entries())`,
  `((i) => i[Symbol.iterator]() === i)(new URLSearchParams('a=1').values())`,
  `URLSearchParams.prototype[Symbol.iterator] === URLSearchParams.prototype.entries`,
  `Object.fromEntries(new URLSearchParams('a=1&b=2&a=3'))`,
  `Array.from(new URLSearchParams('a=1&b=2'), ([k, v]) => k + v)`,
  `(() => { try { new URLSearchParams([['a']]); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams([['a', 'b', 'c']]); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams(['ab']); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams([1]); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams({ [Symbol.iterator]: 1 }); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams('a').append('x'); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams('a').get(); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams('a').forEach(1); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { new URLSearchParams(Symbol('x')); } catch (e) { return e instanceof TypeError; } })()`,
  `(() => { try { URLSearchParams('a'); } catch (e) { return e instanceof TypeError; } })()`,
  `JSON.stringify(new URLSearchParams('a=1'))`,
  `new URLSearchParams('a=1').toString().length`,
  `'q=' + new URLSearchParams({ s: 'a/b?c' })`,
  `((p, q) => { p.append('b', '2'); return [String(p), String(q)]; })(...((p) => [p, new URLSearchParams(p)])(new URLSearchParams('a=1')))`,
);

// Where Node 20 (its Ada parser) and the standard as we have it part ways:
const differs = (code) =>
  // younger Unicode data map the capital sharp s to the small one, not to "ss"
  code.includes('FAẞ') ||
  // an assignment that is not a port leaves the port alone; Node drops it
  (code.includes('u.port = "a99"')) ||
  // an empty host is a host: `foo:/a` becomes `foo:///a`
  (code.includes('u.hostname = ""') && code.includes('"foo:/a"'));
write('url', codes.filter((code) => !differs(code)));
