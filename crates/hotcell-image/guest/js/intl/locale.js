// Intl, part 1: locales and options, as ECMA-402 reads them.
//
// The cell speaks one locale, en-US. "en", "en-US" and "en-Latn-US" name it, with or without Unicode extensions; a list is
// searched for the first of these. Where a request names only other locales, en-US takes their place, as ECMA-402 has it:
// `supportedLocalesOf` and `resolvedOptions` tell the truth, and who writes such code is warned before it runs
// (`hotcell-prepare/src/rules/locales.rs`), because output in the wrong locale looks right and is not.
//
// All files of this folder are evaluated before `lockdown()`, because some of their functions become intrinsics. User code
// runs only after it, on frozen intrinsics, so calling methods of genuine arrays and strings is safe; global bindings are
// not, and are captured here and in every other file.
((kit) => {
  'use strict';
  const { Array, Boolean, Math, Number, Object, RangeError, Reflect, Symbol, TypeError } = globalThis;

  // `String(symbol)` is a text; the standard wants a TypeError there, which a template gives.
  const toText = (value) => `${value}`;

  // ---- locale tags

  const tagPattern =
    /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;

  const canonicalTag = (tag) => {
    if (!tagPattern.test(tag)) throw new RangeError(`Incorrect locale information provided: "${tag}"`);
    const subtags = tag.toLowerCase().split('-');
    const seen = [];
    let inExtension = false;
    for (let i = 1; i < subtags.length; i += 1) {
      const subtag = subtags[i];
      if (subtag.length === 1) {
        if (subtag === 'x') break;
        if (seen.includes(subtag)) throw new RangeError(`Incorrect locale information provided: "${tag}"`);
        seen.push(subtag);
        inExtension = true;
      } else if (!inExtension && subtag.length === 4 && !/\d/.test(subtag)) {
        subtags[i] = subtag[0].toUpperCase() + subtag.slice(1);
      } else if (!inExtension && (subtag.length === 2 || subtag.length === 3)) {
        subtags[i] = subtag.toUpperCase();
      }
    }
    return subtags.join('-');
  };

  const canonicalList = (locales) => {
    if (locales === undefined) return [];
    if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
    const items = typeof locales === 'string' ? [locales] : Array.from(Object(locales));
    const list = [];
    for (const item of items) {
      if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) {
        throw new TypeError('Incorrect locale information provided: a locale is a string such as "en-US"');
      }
      const tag = canonicalTag(toText(item));
      if (!list.includes(tag)) list.push(tag);
    }
    return list;
  };

  const isAvailable = (tag) => /^en(?:-Latn)?(?:-US)?(?:-[a-wyz\d]-|-x-|$)/.test(tag);
  const supportedLocales = (locales, options) => {
    const list = canonicalList(locales);
    if (options !== undefined) getOption('supportedLocalesOf', Object(options), 'localeMatcher', ['lookup', 'best fit'], undefined);
    return list.filter(isAvailable);
  };

  // The Unicode extension of a tag as { key: value }; a key without a value means "true".
  const keywordsOf = (tag) => {
    const keywords = Object.create(null);
    const extension = /-u((?:-[a-z\d]{2,8})+)/.exec(tag.split('-x-')[0]);
    let key;
    for (const subtag of extension === null ? [] : extension[1].slice(1).split('-')) {
      if (subtag.length === 2) {
        key = subtag;
        keywords[key] ??= '';
      } else if (key !== undefined) {
        keywords[key] = keywords[key] === '' ? subtag : `${keywords[key]}-${subtag}`;
      }
    }
    return keywords;
  };

  // What was asked for, as { locale, keywords }.
  const resolveLocale = (locales) => {
    const list = canonicalList(locales);
    const tag = list.find(isAvailable);
    if (tag === undefined) return { locale: 'en-US', keywords: Object.create(null) };
    return { locale: tag.split(/-[a-z\d]-/)[0], keywords: keywordsOf(tag) };
  };

  // ---- options

  const toOptions = (options) => {
    if (options === undefined) return Object.create(null);
    if (options === null) throw new TypeError('Cannot convert undefined or null to object');
    return Object(options);
  };

  // The younger constructors take an object or nothing.
  const toOptionsObject = (owner, options) => {
    if (options === undefined) return Object.create(null);
    if (options === null || (typeof options !== 'object' && typeof options !== 'function')) {
      throw new TypeError(`${owner}: the options have to be an object`);
    }
    return options;
  };

  const outOfRange = (owner, name, value, values) =>
    new RangeError(`Value ${value} out of range for ${owner} options property ${name}: use ${values.join(', ')}`);

  const getOption = (owner, options, name, values, fallback) => {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = toText(value);
    if (!values.includes(text)) throw outOfRange(owner, name, text, values);
    return text;
  };

  const getBoolean = (options, name, fallback) => {
    const value = options[name];
    return value === undefined ? fallback : Boolean(value);
  };

  const toLimited = (value, name, minimum, maximum, fallback) => {
    if (value === undefined) return fallback;
    const number = Number(value);
    if (!(number >= minimum && number <= maximum)) {
      throw new RangeError(`${name} value is out of range: ${number} is not from ${minimum} to ${maximum}`);
    }
    return Math.floor(number);
  };

  const getNumber = (options, name, minimum, maximum, fallback) =>
    toLimited(options[name], name, minimum, maximum, fallback);

  // An option or keyword for which this cell has exactly one value, such as the numbering system.
  const requireOnly = (owner, options, name, only, keyword) => {
    const value = options[name] ?? (keyword === '' ? undefined : keyword);
    if (value === undefined) return only;
    const text = toText(value);
    if (text.toLowerCase() !== only) {
      throw new RangeError(`${owner}: the ${name} "${text}" is not available in this cell: only "${only}" is`);
    }
    return only;
  };

  // ---- constructors

  // Puts the finishing touches on a class of ours. `callable` ones (NumberFormat, DateTimeFormat, Collator) work without
  // `new`, as they do everywhere; a class cannot, so a function stands before it.
  const defineService = (Class, { callable = false } = {}) => {
    const { name, prototype } = Class;
    const Service = callable
      ? { [name]: function (...args) { return Reflect.construct(Class, args, new.target ?? Service); } }[name]
      : Class;
    if (callable) {
      Object.defineProperty(Service, 'prototype', { value: prototype, writable: false });
      Object.defineProperty(prototype, 'constructor', { value: Service, writable: true, configurable: true });
      // Our own class would be a second, stricter constructor of the same objects: nobody needs to find it.
    }
    Object.defineProperty(Service, 'length', { value: 0, configurable: true });
    Object.defineProperty(prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
    const statics = {
      supportedLocalesOf(locales, options = undefined) {
        return supportedLocales(locales, options);
      },
    };
    Object.defineProperty(Service, 'supportedLocalesOf', {
      value: statics.supportedLocalesOf,
      writable: true,
      configurable: true,
    });
    return Service;
  };

  // `resolvedOptions` answers with what is known, in order, without the members that do not apply.
  const definedOnly = (entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined));

  const joinParts = (parts) => parts.map((part) => part.value).join('');

  return {
    intlLocale: {
      canonicalList, defineService, definedOnly, getBoolean, getNumber, getOption, joinParts, outOfRange, requireOnly,
      resolveLocale, toLimited, toOptions, toOptionsObject, toText,
    },
  };
})
