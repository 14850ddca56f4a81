// `URL` and `URLSearchParams` of the WHATWG URL standard.
//
// The host parses (`kit.native.url`), this file keeps the parsed strings and everything that the standard does with them:
//   kit.native.url('parse', input, base | undefined)  -> the eleven components, or null when the standard says failure
//   kit.native.url('set', href, component, value)     -> the same, or null when the standard ignores the assignment
// Every string that goes there is well-formed. Query strings are read and written here, because they change most often.
((kit) => {
  'use strict';
  const { decodeURIComponent, encodeURIComponent, JSON, Object, Reflect, Symbol, TypeError, Uint8Array } = globalThis;
  const { defineInterface, defineListIterator, requireArguments, toUsvString } = kit;
  const { url: native, utf8Decode, utf8Encode } = kit.native;

  // ---- application/x-www-form-urlencoded

  const hexValue = (byte) => {
    if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
    const lower = byte | 0x20;
    return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
  };

  const percentDecode = (text) => {
    if (!text.includes('%')) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      // A stray `%` or bytes that are not UTF-8: the standard keeps the first and replaces the second.
    }
    const bytes = utf8Encode(text);
    const decoded = new Uint8Array(bytes.length);
    let length = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      const high = bytes[i] === 0x25 && i + 2 < bytes.length ? hexValue(bytes[i + 1]) : -1;
      const low = high < 0 ? -1 : hexValue(bytes[i + 2]);
      decoded[length] = low < 0 ? bytes[i] : high * 16 + low;
      if (low >= 0) i += 2;
      length += 1;
    }
    return utf8Decode(decoded.subarray(0, length), false);
  };

  const decodeForm = (text) => percentDecode(text.replaceAll('+', ' '));

  const parseForm = (text) => {
    const list = [];
    for (const piece of text.split('&')) {
      if (piece === '') continue;
      const equals = piece.indexOf('=');
      const name = equals < 0 ? piece : piece.slice(0, equals);
      const value = equals < 0 ? '' : piece.slice(equals + 1);
      list.push([decodeForm(name), decodeForm(value)]);
    }
    return list;
  };

  const formEscapes = { '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E', '%20': '+' };
  const encodeForm = (text) => encodeURIComponent(text).replace(/[!'()~]|%20/g, (found) => formEscapes[found]);
  const serializeForm = (list) => list.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&');

  // ---- URLSearchParams

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  const listFromIterable = (iterable) => {
    const list = [];
    for (const pair of iterable) {
      if (!isObject(pair) || typeof pair[Symbol.iterator] !== 'function') {
        throw new TypeError('URLSearchParams: every item of the iterable has to be a [name, value] pair');
      }
      const items = [...pair].map(toUsvString);
      if (items.length !== 2) {
        throw new TypeError(`URLSearchParams: a [name, value] pair has two items, this one has ${items.length}`);
      }
      list.push(items);
    }
    return list;
  };

  const listFromRecord = (record) => {
    const list = [];
    const seen = Object.create(null);
    for (const key of Reflect.ownKeys(record)) {
      if (!Reflect.getOwnPropertyDescriptor(record, key)?.enumerable) continue;
      const name = toUsvString(key);
      const value = toUsvString(record[key]);
      // Two keys can become one name when lone surrogates are replaced; the later value wins, in the earlier place.
      if (name in seen) {
        list[seen[name]][1] = value;
      } else {
        seen[name] = list.length;
        list.push([name, value]);
      }
    }
    return list;
  };

  const listFrom = (init) => {
    if (!isObject(init)) {
      const text = toUsvString(init);
      return parseForm(text.startsWith('?') ? text.slice(1) : text);
    }
    const iterate = init[Symbol.iterator];
    if (iterate === undefined || iterate === null) return listFromRecord(init);
    if (typeof iterate !== 'function') throw new TypeError('URLSearchParams: [Symbol.iterator] is not a function');
    return listFromIterable(init);
  };

  const byName = ([left], [right]) => (left < right ? -1 : left > right ? 1 : 0);
  const makeIterator = defineListIterator('URLSearchParams Iterator');
  const copyPair = ([name, value]) => [name, value];

  // Only `URL` gets these: they are how it and its `searchParams` follow each other.
  let bindToUrl;
  let replaceList;
  let serialize;

  // A bare `this.#list` at the start of a method refuses a foreign `this` before any argument is looked at.
  class URLSearchParams {
    #list;
    #changed = () => {};

    static {
      bindToUrl = (params, changed) => {
        params.#changed = changed;
      };
      replaceList = (params, search) => {
        params.#list = parseForm(search.slice(1));
      };
      serialize = (params) => serializeForm(params.#list);
    }

    constructor(init = '') {
      this.#list = listFrom(init);
    }

    get size() {
      return this.#list.length;
    }

    append(name, value) {
      this.#list;
      requireArguments('URLSearchParams.append', 2, arguments.length);
      const pair = [toUsvString(name), toUsvString(value)];
      this.#list.push(pair);
      this.#changed();
    }

    delete(name, value = undefined) {
      this.#list;
      requireArguments('URLSearchParams.delete', 1, arguments.length);
      const wanted = toUsvString(name);
      const only = value === undefined ? undefined : toUsvString(value);
      this.#list = this.#list.filter(([n, v]) => n !== wanted || (only !== undefined && v !== only));
      this.#changed();
    }

    get(name) {
      this.#list;
      requireArguments('URLSearchParams.get', 1, arguments.length);
      const wanted = toUsvString(name);
      return this.#list.find(([n]) => n === wanted)?.[1] ?? null;
    }

    getAll(name) {
      this.#list;
      requireArguments('URLSearchParams.getAll', 1, arguments.length);
      const wanted = toUsvString(name);
      return this.#list.filter(([n]) => n === wanted).map(([, v]) => v);
    }

    has(name, value = undefined) {
      this.#list;
      requireArguments('URLSearchParams.has', 1, arguments.length);
      const wanted = toUsvString(name);
      const only = value === undefined ? undefined : toUsvString(value);
      return this.#list.some(([n, v]) => n === wanted && (only === undefined || v === only));
    }

    set(name, value) {
      this.#list;
      requireArguments('URLSearchParams.set', 2, arguments.length);
      const wanted = toUsvString(name);
      const text = toUsvString(value);
      const first = this.#list.findIndex(([n]) => n === wanted);
      if (first < 0) {
        this.#list.push([wanted, text]);
      } else {
        this.#list[first][1] = text;
        this.#list = this.#list.filter(([n], at) => at <= first || n !== wanted);
      }
      this.#changed();
    }

    sort() {
      this.#list.sort(byName);
      this.#changed();
    }

    toString() {
      return serializeForm(this.#list);
    }

    forEach(callback, thisArg = undefined) {
      this.#list;
      requireArguments('URLSearchParams.forEach', 1, arguments.length);
      if (typeof callback !== 'function') throw new TypeError('URLSearchParams.forEach: the callback is not a function');
      for (let at = 0; at < this.#list.length; at += 1) {
        const [name, value] = this.#list[at];
        Reflect.apply(callback, thisArg, [value, name, this]);
      }
    }

    entries() {
      this.#list;
      return makeIterator(() => this.#list, copyPair);
    }

    keys() {
      this.#list;
      return makeIterator(() => this.#list, ([name]) => name);
    }

    values() {
      this.#list;
      return makeIterator(() => this.#list, ([, value]) => value);
    }
  }
  defineInterface(URLSearchParams);
  Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
    value: URLSearchParams.prototype.entries,
    writable: true,
    configurable: true,
  });

  // ---- URL

  const names = [
    'href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin',
  ];
  const toParts = (strings) => {
    const parts = Object.create(null);
    for (let i = 0; i < names.length; i += 1) parts[names[i]] = strings[i];
    return parts;
  };

  const parse = (input, base) => native('parse', input, base);
  const toBase = (base) => (base === undefined ? undefined : toUsvString(base));

  // A `data:` URL can be megabytes long; its beginning is what tells the reader which one it was.
  const quote = (text) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text);

  // The properties are Node's: programs tell this error from others by its `code`.
  const invalid = (input, base) => {
    const against = base === undefined ? '' : ` against the base ${quote(base)}`;
    const error = new TypeError(`Invalid URL: ${quote(input)}${against}`);
    const details = base === undefined ? { code: 'ERR_INVALID_URL', input } : { code: 'ERR_INVALID_URL', input, base };
    return Object.assign(error, details);
  };

  class URL {
    #parts;
    #params;

    constructor(url, base = undefined) {
      requireArguments('new URL', 1, arguments.length);
      const input = toUsvString(url);
      const against = toBase(base);
      const strings = parse(input, against);
      if (strings === null) throw invalid(input, against);
      this.#parts = toParts(strings);
    }

    static canParse(url, base = undefined) {
      requireArguments('URL.canParse', 1, arguments.length);
      return parse(toUsvString(url), toBase(base)) !== null;
    }

    static parse(url, base = undefined) {
      requireArguments('URL.parse', 1, arguments.length);
      const strings = parse(toUsvString(url), toBase(base));
      return strings === null ? null : new URL(strings[0]);
    }

    #set(component, value) {
      const strings = native('set', this.#parts.href, component, toUsvString(value));
      if (strings !== null) this.#parts = toParts(strings);
    }

    #followSearch() {
      if (this.#params !== undefined) replaceList(this.#params, this.#parts.search);
    }

    get href() {
      return this.#parts.href;
    }
    set href(value) {
      this.#parts;
      const input = toUsvString(value);
      const strings = parse(input, undefined);
      if (strings === null) throw invalid(input, undefined);
      this.#parts = toParts(strings);
      this.#followSearch();
    }

    get origin() {
      return this.#parts.origin;
    }

    get protocol() {
      return this.#parts.protocol;
    }
    set protocol(value) {
      this.#set('protocol', value);
    }

    get username() {
      return this.#parts.username;
    }
    set username(value) {
      this.#set('username', value);
    }

    get password() {
      return this.#parts.password;
    }
    set password(value) {
      this.#set('password', value);
    }

    get host() {
      return this.#parts.host;
    }
    set host(value) {
      this.#set('host', value);
    }

    get hostname() {
      return this.#parts.hostname;
    }
    set hostname(value) {
      this.#set('hostname', value);
    }

    get port() {
      return this.#parts.port;
    }
    set port(value) {
      this.#set('port', value);
    }

    get pathname() {
      return this.#parts.pathname;
    }
    set pathname(value) {
      this.#set('pathname', value);
    }

    get search() {
      return this.#parts.search;
    }
    set search(value) {
      this.#set('search', value);
      this.#followSearch();
    }

    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#parts.search);
        bindToUrl(this.#params, () => this.#set('search', serialize(this.#params)));
      }
      return this.#params;
    }

    get hash() {
      return this.#parts.hash;
    }
    set hash(value) {
      this.#set('hash', value);
    }

    toString() {
      return this.#parts.href;
    }

    toJSON() {
      return this.#parts.href;
    }
  }
  defineInterface(URL);

  return { URL, URLSearchParams };
})
