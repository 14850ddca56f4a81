// Text for the printer: quoting, escapes, colours, and how wide a string is on a terminal.
((kit) => {
  'use strict';
  const { Map } = globalThis;

  const NEEDS_ESCAPE =
    /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  const ESCAPES_SINGLE =
    /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const ESCAPES_OTHER =
    /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const SHORT_ESCAPES = new Map([
    ['\b', '\\b'],
    ['\t', '\\t'],
    ['\n', '\\n'],
    ['\f', '\\f'],
    ['\r', '\\r'],
    ["'", "\\'"],
    ['\\', '\\\\'],
  ]);

  const escapeUnit = (unit) => {
    const short = SHORT_ESCAPES.get(unit);
    if (short !== undefined) return short;
    const code = unit.charCodeAt(0);
    const hex = code.toString(16);
    // Node writes surrogates in lower case and control characters in upper case.
    return code > 0xff ? `\\u${hex}` : `\\x${hex.padStart(2, '0').toUpperCase()}`;
  };

  // The quote that needs no escape, in the order Node prefers them.
  const chooseQuote = (text) => {
    if (!text.includes("'")) return "'";
    if (!text.includes('"')) return '"';
    if (!text.includes('`') && !text.includes('${')) return '`';
    return "'";
  };

  const quote = (text) => {
    if (!NEEDS_ESCAPE.test(text)) return `'${text}'`;
    const mark = chooseQuote(text);
    return mark + text.replace(mark === "'" ? ESCAPES_SINGLE : ESCAPES_OTHER, escapeUnit) + mark;
  };

  // Escapes without quotes, for the names of symbols and hidden keys.
  const escape = (text) => (NEEDS_ESCAPE.test(text) ? text.replace(ESCAPES_SINGLE, escapeUnit) : text);

  const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const moreItems = (count) => `... ${count} more item${count === 1 ? '' : 's'}`;

  const ANSI = new Map([
    ['special', [36, 39]],
    ['number', [33, 39]],
    ['bigint', [33, 39]],
    ['boolean', [33, 39]],
    ['undefined', [90, 39]],
    ['null', [1, 22]],
    ['string', [32, 39]],
    ['symbol', [32, 39]],
    ['date', [35, 39]],
    ['regexp', [31, 39]],
    ['module', [4, 24]],
  ]);

  const paintColour = (text, style) => {
    const codes = ANSI.get(style);
    return codes === undefined ? text : `\x1b[${codes[0]}m${text}\x1b[${codes[1]}m`;
  };
  const paintPlain = (text) => text;

  const COLOUR_CODES = /\x1b\[\d+m/g;
  const withoutColours = (text) => text.replace(COLOUR_CODES, '');

  // First and last code points of the runs that take two columns (Unicode's East Asian Width W and F).
  const WIDE_RUNS = [
    0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
    0x2614, 0x2615, 0x2630, 0x2637, 0x2648, 0x2653, 0x267f, 0x267f, 0x268a, 0x268f, 0x2693, 0x2693, 0x26a1, 0x26a1,
    0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3,
    0x26f5, 0x26f5, 0x26fa, 0x26fa, 0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c,
    0x274e, 0x274e, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c,
    0x2b50, 0x2b50, 0x2b55, 0x2b55, 0x2e80, 0x2e99, 0x2e9b, 0x2ef3, 0x2f00, 0x2fd5, 0x2ff0, 0x303e, 0x3041, 0x3096,
    0x3099, 0x30ff, 0x3105, 0x312f, 0x3131, 0x318e, 0x3190, 0x31e5, 0x31ef, 0x321e, 0x3220, 0x3247, 0x3250, 0xa48c,
    0xa490, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe52, 0xfe54, 0xfe66,
    0xfe68, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x16fe4, 0x16ff0, 0x16ff6, 0x17000, 0x18cd5, 0x18cff,
    0x18d1e, 0x18d80, 0x18df2, 0x1aff0, 0x1aff3, 0x1aff5, 0x1affb, 0x1affd, 0x1affe, 0x1b000, 0x1b122, 0x1b132, 0x1b132,
    0x1b150, 0x1b152, 0x1b155, 0x1b155, 0x1b164, 0x1b167, 0x1b170, 0x1b2fb, 0x1d300, 0x1d356, 0x1d360, 0x1d376, 0x1f004,
    0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f1e6, 0x1f202, 0x1f210, 0x1f23b, 0x1f240, 0x1f248,
    0x1f250, 0x1f251, 0x1f260, 0x1f265, 0x1f300, 0x1f320, 0x1f32d, 0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0,
    0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc,
    0x1f4ff, 0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4, 0x1f5fb,
    0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d8, 0x1f6dc, 0x1f6df, 0x1f6eb, 0x1f6ec,
    0x1f6f4, 0x1f6fc, 0x1f7e0, 0x1f7eb, 0x1f7f0, 0x1f7f0, 0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70,
    0x1fa7c, 0x1fa80, 0x1fa8a, 0x1fa8e, 0x1fac6, 0x1fac8, 0x1fac8, 0x1facd, 0x1fadc, 0x1fadf, 0x1faea, 0x1faef, 0x1faf8,
    0x20000, 0x2fffd, 0x30000, 0x3fffd,
  ];

  // Binary search for the run that could hold the code point.
  const isWide = (code) => {
    let low = 0;
    let high = WIDE_RUNS.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (code > WIDE_RUNS[middle * 2 + 1]) low = middle + 1;
      else high = middle;
    }
    return low * 2 < WIDE_RUNS.length && code >= WIDE_RUNS[low * 2];
  };

  const ASCII = /^[\x20-\x7e]*$/;
  // Marks, controls and formats take no column; the soft hyphen does.
  const TAKES_NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}]$/u;

  const columnsOf = (character) => {
    const code = character.codePointAt(0);
    if (code < 0x7f) return code < 0x20 ? 0 : 1;
    if (isWide(code)) return 2;
    return code !== 0xad && TAKES_NO_COLUMN.test(character) ? 0 : 1;
  };

  // Columns on a terminal; colour codes take none.
  const widthOf = (text) => {
    const plain = text.includes('\x1b') ? withoutColours(text) : text;
    if (ASCII.test(plain)) return plain.length;
    let width = 0;
    for (const character of plain.normalize('NFC')) width += columnsOf(character);
    return width;
  };

  return { inspectText: { escape, moreItems, paintColour, paintPlain, plural, quote, widthOf, withoutColours } };
})
