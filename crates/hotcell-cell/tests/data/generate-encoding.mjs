// Writes encoding.json: what Node's `TextEncoder` and `TextDecoder` answer. Run with Node 20: `node generate-encoding.mjs`.
import { quote, write } from './corpus.mjs';

const codes = [];
const bytes = (list) => `new Uint8Array([${list.join(',')}])`;
const decode = (list, label = 'utf-8', options = '{}') =>
  codes.push(`new TextDecoder(${quote(label)}, ${options}).decode(${bytes(list)})`);
const attempt = (expression) =>
  `(() => { try { return ${expression}; } catch (e) { return [e.name, e.code, e instanceof TypeError, e instanceof RangeError]; } })()`;

// encode
for (const text of ['', 'a', 'hello', 'ä', '€', '😀', 'a\u0000b', '\ud800', 'x\udc00y', '\ud800\ud800\udc00', '\uffff', '\ufeff', 'ünïcödé ✓ 漢字', '\u{10ffff}', '\r\n\t', '\u007f\u0080\u07ff\u0800']) {
  codes.push(`[...new TextEncoder().encode(${quote(text)})]`);
}
codes.push(
  `[...new TextEncoder().encode()]`, `[...new TextEncoder().encode(undefined)]`, `[...new TextEncoder().encode(null)]`, `[...new TextEncoder().encode(12.5)]`, `[...new TextEncoder().encode({ toString() { return 'o'; } })]`,
  `new TextEncoder().encode('x') instanceof Uint8Array`, `new TextEncoder().encoding`, `new TextEncoder().encode('ä'.repeat(1000)).length`,
  `Object.prototype.toString.call(new TextEncoder())`, `Object.prototype.toString.call(new TextDecoder())`, `[TextEncoder.name, TextEncoder.length, TextDecoder.name, TextDecoder.length]`,
  attempt(`TextEncoder()`), attempt(`new TextEncoder().encode(Symbol('x'))`),
  attempt(`TextEncoder.prototype.encode.call({}, 'x') && 0`).replace('e.code', 'null'),
  attempt(`TextDecoder.prototype.decode.call({}, new Uint8Array()) && 0`).replace('e.code', 'null'),
);
for (const [text, room] of [['abc', 5], ['abc', 3], ['abc', 2], ['abc', 0], ['äb', 1], ['äb', 2], ['a€', 3], ['a€', 4], ['😀x', 3], ['😀x', 4], ['😀x', 5], ['\ud800x', 2], ['\ud800x', 4], ['', 3], ['ab😀', 5]]) {
  codes.push(`((b) => { const r = new TextEncoder().encodeInto(${quote(text)}, b); return [r.read, r.written, [...b]]; })(new Uint8Array(${room}))`);
}
codes.push(
  `((b) => { const r = new TextEncoder().encodeInto('xyz', b.subarray(1, 3)); return [r, [...b]]; })(new Uint8Array(4))`,
  attempt(`new TextEncoder().encodeInto('x', new Uint16Array(4))`).replace('e.code', 'null'),
  attempt(`new TextEncoder().encodeInto('x', [])`).replace('e.code', 'null'),
);

// labels
for (const label of [
  'utf8', 'UTF-8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8', ' utf-8\n', 'utf-16', 'UTF-16LE', 'utf-16be', 'ucs-2', 'unicode', 'unicodefeff', 'unicodefffe', 'csunicode', 'iso-10646-ucs-2',
  'latin1', 'ascii', 'us-ascii', 'iso-8859-1', 'ISO-8859-1', 'iso8859-1', 'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'l1', 'cp1252', 'x-cp1252', 'windows-1252', 'cp819', 'ibm819', 'iso-ir-100', 'csisolatin1', 'ansi_x3.4-1968',
]) codes.push(`new TextDecoder(${quote(label)}).encoding`);
for (const label of ['', 'nope', 'utf-7', 'utf_8', 'utf-8\u00a0', 'utf-32', '__proto__', 'toString']) codes.push(attempt(`new TextDecoder(${quote(label)}).encoding`));
codes.push(
  `((d) => [d.encoding, d.fatal, d.ignoreBOM])(new TextDecoder())`, `((d) => [d.encoding, d.fatal, d.ignoreBOM])(new TextDecoder(undefined, { fatal: 1, ignoreBOM: 'x' }))`,
  `((d) => [d.encoding, d.fatal, d.ignoreBOM])(new TextDecoder('utf-16le', undefined))`, attempt(`TextDecoder()`),
);

// UTF-8
const utf8 = [
  [], [0x61], [0xc3, 0xa4], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80], [0xef, 0xbb, 0xbf, 0x61], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61], [0x61, 0xef, 0xbb, 0xbf], [0xff], [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28],
  [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xf0, 0x9f, 0x98, 0x61], [0xf0, 0x90], [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0x61, 0xf0, 0x9f, 0x62, 0xc3, 0xa4, 0xff, 0xfe], [0x00, 0x7f], [0xef, 0xbf, 0xbd], [0xef, 0xbb], [0xef, 0xbb, 0x61],
];
for (const list of utf8) {
  decode(list);
  codes.push(attempt(`new TextDecoder('utf-8', { fatal: true }).decode(${bytes(list)})`));
  // the same in a stream, a byte at a time: what is held back must come out right in the end
  codes.push(`((d) => ${bytes(list)}.reduce((text, byte) => text + d.decode(new Uint8Array([byte]), { stream: true }) + '|', '') + d.decode())(new TextDecoder())`);
}
decode([0xef, 0xbb, 0xbf, 0x61], 'utf-8', '{ ignoreBOM: true }');

// UTF-16
const utf16 = [
  [], [0x61, 0], [0xac, 0x20], [0x3d, 0xd8, 0x00, 0xde], [0xff, 0xfe, 0x61, 0], [0xfe, 0xff, 0, 0x61], [0x61], [0x61, 0, 0x62], [0x00, 0xd8], [0x00, 0xdc], [0x00, 0xd8, 0x61, 0], [0x00, 0xdc, 0x00, 0xd8], [0x3d, 0xd8, 0x3d, 0xd8, 0x00, 0xde], [0x00, 0xd8, 0x61], [0xff, 0xfe, 0xff, 0xfe],
];
for (const list of utf16) {
  decode(list, 'utf-16le');
  codes.push(attempt(`new TextDecoder('utf-16le', { fatal: true }).decode(${bytes(list)})`));
  codes.push(`((d) => ${bytes(list)}.reduce((text, byte) => text + d.decode(new Uint8Array([byte]), { stream: true }), '') + d.decode())(new TextDecoder('utf-16'))`);
}
decode([0x20, 0xac, 0xd8, 0x3d, 0xde, 0x00], 'utf-16be');
decode([0xfe, 0xff, 0, 0x61], 'utf-16be');
decode([0, 0x61, 0x62], 'utf-16be');
decode([0xff, 0xfe, 0x61, 0], 'utf-16le', '{ ignoreBOM: true }');

// windows-1252
decode(Array.from({ length: 128 }, (_, i) => i), 'ascii');
decode(Array.from({ length: 96 }, (_, i) => i + 0xa0), 'windows-1252');
codes.push(`((d) => d.decode(${bytes([0xe4, 0xa0])}, { stream: true }) + d.decode(${bytes([0xff])}))(new TextDecoder('windows-1252'))`);

// streams
codes.push(
  `((d) => [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac]), { stream: true }), d.decode()])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode()])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0x41]))])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xe2])), d.decode(new Uint8Array([0x82, 0xac]))])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xef, 0xbb]), { stream: true }), d.decode(new Uint8Array([0xbf, 0x61]), { stream: true }), d.decode(new Uint8Array([0xef, 0xbb, 0xbf]))])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x62]))])(new TextDecoder())`,
  `((d) => [d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }), d.decode(new Uint8Array([0x98, 0x80, 0x41]))])(new TextDecoder('utf-8', { fatal: true }))`,
  `((d) => { d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }); ${'try { d.decode(); } catch (e) { return [e.name, e.code]; }'} })(new TextDecoder('utf-8', { fatal: true }))`,
  `((d) => [d.decode(), d.decode(undefined, { stream: true }), d.decode(new Uint8Array([0x61]))])(new TextDecoder())`,
);

// what counts as bytes
codes.push(
  `new TextDecoder().decode(new Uint8Array([97, 98]).buffer)`, `new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1))`, `new TextDecoder().decode(new Uint8Array([97, 98, 99, 100]).subarray(1, 3))`,
  `new TextDecoder('utf-16le').decode(new Uint16Array([0x61, 0x20ac]))`, `new TextDecoder().decode(new Int8Array([97, -61, -92]))`, `new TextDecoder().decode(new Float64Array(0))`, `new TextDecoder().decode(new ArrayBuffer(2))`,
  `((a) => { Object.defineProperty(a, 'length', { value: 1 }); return new TextDecoder().decode(a); })(new Uint8Array([97, 98]))`,
  attempt(`new TextDecoder().decode('text')`).replace('e.code', 'null'), attempt(`new TextDecoder().decode([97])`).replace('e.code', 'null'), attempt(`new TextDecoder().decode({})`).replace('e.code', 'null'), attempt(`new TextDecoder().decode(97)`).replace('e.code', 'null'),
  `new TextDecoder().decode(new TextEncoder().encode('round trip ✓ 😀'))`, `new TextDecoder().decode(new Uint8Array(10000).fill(97)).length`, `new TextDecoder('latin1').decode(new Uint8Array(10000).fill(233)) === 'é'.repeat(10000)`, `new TextDecoder('utf-16le').decode(new Uint16Array(9999).fill(0x20ac)).length`,
);

// Left out: Node 20 decodes the bytes 0x80 to 0x9f of windows-1252 as control characters; the standard has its table for
// them, and so have we.
write('encoding', codes);
