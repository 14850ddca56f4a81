// format(...args): printf-like text as Node's util.format makes it: %s %d %i %f %j %o %O %c %%, the rest appended.
//
// Where Node would throw what a value's own code throws (toString, valueOf, toJSON), a text stands instead: a log line
// must not end a run.
((kit) => {
  'use strict';
  const { inspect } = kit;
  const { hasOwn, isBuiltInPrototype, isObject, protoOf, read, toText, unwrap } = kit.inspectObjects;
  const { numberText } = kit.inspectParts;
  const { JSON, Map, Number, Object, String, Symbol, parseFloat, parseInt } = globalThis;

  const PERCENT = 37;
  const BRIEF = Object.freeze({ depth: 0, colors: false, compact: 3 });

  // Whether String(value) would only say "[object Object]" or the like: text written by the language, not by the user.
  const hasBuiltInText = (object) => {
    if (typeof read(object, 'toString') !== 'function') return true;
    let holder = object;
    while (holder !== null && !hasOwn(holder, 'toString') && !hasOwn(holder, Symbol.toPrimitive)) {
      holder = protoOf(holder);
    }
    return holder === null || isBuiltInPrototype(holder);
  };

  const asString = (value) => {
    if (typeof value === 'number') return numberText(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (!isObject(value)) return String(value);
    const target = unwrap(value);
    if (target === null || (typeof target === 'object' && hasBuiltInText(target))) return inspect(value, BRIEF);
    try {
      return String(target);
    } catch {
      return inspect(value, BRIEF);
    }
  };

  // A conversion by `convert` that cannot throw.
  const asNumber = (value, convert) => {
    if (typeof value === 'symbol') return 'NaN';
    try {
      return numberText(convert(value));
    } catch {
      return 'NaN';
    }
  };

  const asJSON = (value) => {
    try {
      return `${JSON.stringify(value)}`;
    } catch (error) {
      const message = isObject(error) ? toText(read(error, 'message')) : '';
      return /circular/i.test(message) ? '[Circular]' : `[not serializable: ${message}]`;
    }
  };

  const CONVERSIONS = new Map([
    ['s', asString],
    ['d', (value) => (typeof value === 'bigint' ? `${value}n` : asNumber(value, Number))],
    ['i', (value) => (typeof value === 'bigint' ? `${value}n` : asNumber(value, parseInt))],
    ['f', (value) => asNumber(value, parseFloat)],
    ['j', asJSON],
    ['O', (value, options) => inspect(value, options)],
    ['o', (value, options) => inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 })],
    ['c', () => ''],
  ]);

  // { text, used }: the pattern filled in, and how many of `args` (the pattern is the first) it took.
  const fill = (pattern, args, options) => {
    let text = '';
    let from = 0;
    let used = 1;
    for (let at = pattern.indexOf('%'); at !== -1 && at < pattern.length - 1; at = pattern.indexOf('%', at)) {
      if (pattern.charCodeAt(at + 1) === PERCENT) {
        text += pattern.slice(from, at + 1);
        at += 2;
        from = at;
        continue;
      }
      const convert = used < args.length ? CONVERSIONS.get(pattern[at + 1]) : undefined;
      if (convert === undefined) {
        at += 2;
        continue;
      }
      text += pattern.slice(from, at) + convert(args[used], options);
      used += 1;
      at += 2;
      from = at;
    }
    return { text: text + pattern.slice(from), used };
  };

  const formatWithOptions = (options, args) => {
    const first = args[0];
    if (args.length === 1) return typeof first === 'string' ? first : inspect(first, options);
    let text = '';
    let next = 0;
    if (typeof first === 'string') {
      next = 1;
      text = first;
      if (first.includes('%')) ({ text, used: next } = fill(first, args, options));
    }
    for (; next < args.length; next += 1) {
      const value = args[next];
      if (next > 0) text += ' ';
      text += typeof value === 'string' ? value : inspect(value, options);
    }
    return text;
  };

  const format = (...args) => (args.length === 0 ? '' : formatWithOptions(undefined, args));

  return { format, formatWithOptions };
})
