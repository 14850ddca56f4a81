// `TextEncoder` and `TextDecoder` of the WHATWG Encoding standard, for UTF-8, UTF-16 (both byte orders) and windows-1252
// (which is also what the standard decodes "latin1" and "ascii" as). Other encodings are a RangeError that says so.
//
//   kit.native.utf8Encode(string)            -> Uint8Array, lone surrogates become U+FFFD
//   kit.native.utf8Decode(Uint8Array, fatal) -> string with one U+FFFD per maximal subpart, or undefined when `fatal` and
//                                               invalid; a byte order mark is kept
// What a stream holds back between two calls is a few bytes in a private field, so snapshots carry it.
((kit) => {
  'use strict';
  const { ArrayBuffer, Boolean, DataView, Object, RangeError, Reflect, SharedArrayBuffer, String, Symbol, TypeError, Uint8Array } =
    globalThis;
  const { defineInterface, toDictionary, toUsvString } = kit;
  const { utf8Decode, utf8Encode } = kit.native;

  // ---- bytes

  const getterOf = (prototype, name) => {
    const { get } = Reflect.getOwnPropertyDescriptor(prototype, name);
    return (value) => Reflect.apply(get, value, []);
  };
  const typedArrayPrototype = Reflect.getPrototypeOf(Uint8Array.prototype);
  const typedArrayTag = getterOf(typedArrayPrototype, Symbol.toStringTag);
  const readersOf = (prototype) => ['buffer', 'byteOffset', 'byteLength'].map((name) => getterOf(prototype, name));
  const typedArrayReaders = readersOf(typedArrayPrototype);
  const dataViewReaders = readersOf(DataView.prototype);
  const bufferLengths = [ArrayBuffer, SharedArrayBuffer]
    .filter((kind) => kind !== undefined)
    .map((kind) => getterOf(kind.prototype, 'byteLength'));

  const bufferLength = (value) => {
    for (const lengthOf of bufferLengths) {
      try {
        return lengthOf(value);
      } catch {
        // Not this kind of buffer.
      }
    }
    return undefined;
  };

  // The bytes of any BufferSource, whatever properties user code has put on it.
  const toBytes = (owner, value) => {
    if (ArrayBuffer.isView(value)) {
      const readers = typedArrayTag(value) === undefined ? dataViewReaders : typedArrayReaders;
      const [buffer, offset, length] = readers.map((read) => read(value));
      return length === 0 ? new Uint8Array(0) : new Uint8Array(buffer, offset, length);
    }
    const length = bufferLength(value);
    if (length === undefined) {
      throw new TypeError(`${owner}: the input has to be an ArrayBuffer, a typed array or a DataView`);
    }
    return length === 0 ? new Uint8Array(0) : new Uint8Array(value);
  };

  const concat = (head, tail) => {
    if (head.length === 0) return tail;
    const joined = new Uint8Array(head.length + tail.length);
    joined.set(head, 0);
    joined.set(tail, head.length);
    return joined;
  };

  // `String.fromCharCode` takes its code units as arguments, and a call has room for only so many.
  const unitsPerCall = 4096;
  const fromUnits = (count, unitAt) => {
    const pieces = [];
    for (let start = 0; start < count; start += unitsPerCall) {
      const end = start + unitsPerCall < count ? start + unitsPerCall : count;
      const units = [];
      for (let at = start; at < end; at += 1) units.push(unitAt(at));
      pieces.push(Reflect.apply(String.fromCharCode, undefined, units));
    }
    return pieces.join('');
  };

  // ---- the decoders: each is { held(bytes): how many bytes at the end wait for more,
  //                             decode(bytes, fatal): string, or undefined when fatal and invalid }

  // Whether `second` may follow `lead`: rules out overlong forms, surrogates and what lies above U+10FFFF.
  const mayFollow = (lead, second) => {
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
  };

  const utf8 = {
    held(bytes) {
      for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
        const at = bytes.length - back;
        const byte = bytes[at];
        if (byte >= 0x80 && byte <= 0xbf) continue;
        const needed = byte >= 0xc2 && byte <= 0xdf ? 2 : byte >= 0xe0 && byte <= 0xef ? 3 : byte >= 0xf0 && byte <= 0xf4 ? 4 : 1;
        if (back >= needed) return 0;
        return back === 1 || mayFollow(byte, bytes[at + 1]) ? back : 0;
      }
      return 0;
    },
    decode: utf8Decode,
  };

  const utf16 = (lowByte, highByte) => ({
    held(bytes) {
      const odd = bytes.length % 2;
      const last = bytes.length - odd - 2;
      const isLead = last >= 0 && (bytes[last + highByte] & 0xfc) === 0xd8;
      return isLead ? odd + 2 : odd;
    },
    decode(bytes, fatal) {
      const odd = bytes.length % 2;
      let count = (bytes.length - odd) / 2;
      // A half unit at the end is one error, together with the lead surrogate that may stand before it.
      if (odd === 1 && this.held(bytes) === 3) count -= 1;
      const text = fromUnits(count, (at) => bytes[2 * at + lowByte] + 256 * bytes[2 * at + highByte]);
      if (fatal && (odd === 1 || !text.isWellFormed())) return undefined;
      return odd === 1 ? `${text.toWellFormed()}\ufffd` : text.toWellFormed();
    },
  });

  // The C1 range of windows-1252; every other byte stands for the code point with its number.
  const windows1252C1 =
    '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
    '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
  const windows1252 = {
    held: () => 0,
    decode: (bytes) =>
      fromUnits(bytes.length, (at) => {
        const byte = bytes[at];
        return byte >= 0x80 && byte <= 0x9f ? windows1252C1.charCodeAt(byte - 0x80) : byte;
      }),
  };

  const decoders = {
    __proto__: null,
    'utf-8': utf8,
    'utf-16le': utf16(0, 1),
    'utf-16be': utf16(1, 0),
    'windows-1252': windows1252,
  };

  const labelLists = {
    'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
    'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    'utf-16be': 'unicodefffe utf-16be',
    'windows-1252':
      'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 ' +
      'iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
  };
  const encodingOf = Object.create(null);
  for (const encoding of Object.keys(labelLists)) {
    for (const label of labelLists[encoding].split(' ')) encodingOf[label] = encoding;
  }

  const findEncoding = (label) => {
    if (label in encodingOf) return encodingOf[label];
    const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
    const encoding = encodingOf[name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())];
    if (encoding !== undefined) return encoding;
    const error = new RangeError(
      `The "${label}" encoding is not supported: this cell decodes utf-8, utf-16le, utf-16be and windows-1252 (latin1, ascii)`,
    );
    throw Object.assign(error, { code: 'ERR_ENCODING_NOT_SUPPORTED' });
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #streaming = false;
    #held = new Uint8Array(0);
    #pastStart = false;

    constructor(label = 'utf-8', options = undefined) {
      const encoding = findEncoding(toUsvString(label));
      const dictionary = toDictionary('new TextDecoder', options);
      this.#fatal = Boolean(dictionary.fatal);
      this.#ignoreBOM = Boolean(dictionary.ignoreBOM);
      this.#encoding = encoding;
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      const decoder = decoders[this.#encoding];
      const given = input === undefined ? new Uint8Array(0) : toBytes('TextDecoder.decode', input);
      const stream = Boolean(toDictionary('TextDecoder.decode', options).stream);
      if (!this.#streaming) this.#reset();
      this.#streaming = stream;

      const bytes = concat(this.#held, given);
      const end = stream ? bytes.length - decoder.held(bytes) : bytes.length;
      const text = decoder.decode(end === bytes.length ? bytes : bytes.subarray(0, end), this.#fatal);
      if (text === undefined) {
        this.#reset();
        const error = new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`);
        throw Object.assign(error, { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' });
      }
      this.#held = bytes.slice(end);
      return this.#withoutMark(text);
    }

    #reset() {
      this.#held = new Uint8Array(0);
      this.#pastStart = false;
    }

    // The byte order mark is not part of the text, but only the first character of a stream can be one.
    #withoutMark(text) {
      if (this.#pastStart || text === '') return text;
      this.#pastStart = true;
      const isMark = text.charCodeAt(0) === 0xfeff && !this.#ignoreBOM;
      return isMark ? text.slice(1) : text;
    }
  }
  defineInterface(TextDecoder);

  // How much of `text` fits into `room` bytes without cutting a character: [code units read, bytes written].
  const fitUtf8 = (text, room) => {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const point = text.codePointAt(read);
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > room) break;
      written += size;
      read += size === 4 ? 2 : 1;
    }
    return [read, written];
  };

  class TextEncoder {
    #brand;

    get encoding() {
      this.#brand;
      return 'utf-8';
    }

    encode(input = '') {
      this.#brand;
      return utf8Encode(toUsvString(input));
    }

    encodeInto(source, destination) {
      this.#brand;
      const text = toUsvString(source);
      if (!ArrayBuffer.isView(destination) || typedArrayTag(destination) !== 'Uint8Array') {
        throw new TypeError('TextEncoder.encodeInto: the destination has to be a Uint8Array');
      }
      const target = toBytes('TextEncoder.encodeInto', destination);
      const [read, written] = fitUtf8(text, target.length);
      target.set(utf8Encode(read === text.length ? text : text.slice(0, read)), 0);
      return { read, written };
    }
  }
  defineInterface(TextEncoder);

  return { TextDecoder, TextEncoder };
})
