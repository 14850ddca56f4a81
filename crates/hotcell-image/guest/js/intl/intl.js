// Intl, last part: the namespace, and the methods of the intrinsics that depend on it.
//
// Present: NumberFormat, PluralRules, DateTimeFormat, RelativeTimeFormat, ListFormat, Collator, Segmenter,
// getCanonicalLocales, supportedValuesOf. Each file says what its part supports; everything else is an error that names the
// supported set. Absent, so that `Intl.X === undefined` tells a program: Locale, DisplayNames, DurationFormat.
//
// The files of this folder are evaluated BEFORE `lockdown()`, because `localeMethods` (path -> methods) become
// intrinsics: `install.js` puts them there. SES neither knows nor touches `Intl`: it has to be hardened and made a
// global after lockdown.
((kit) => {
  'use strict';
  const { BigInt, Date, Math, Number, Object, RangeError, Reflect, String, Symbol, TypeError, Uint8Array } = globalThis;
  const { canonicalList, toText } = kit.intlLocale;
  const { currencies, units } = kit.intlNumberData;
  const { formatNumber, NumberFormat, PluralRules } = kit.intlNumber;
  const { DateTimeFormat, formatDate } = kit.intlDate;
  const { ListFormat, RelativeTimeFormat } = kit.intlText;
  const { zoneNames } = kit.intlZones;
  const { Collator, compareStrings } = kit.intlCollate;
  const { Segmenter } = kit.intlSegment;

  const lists = Object.assign(Object.create(null), {
    calendar: () => ['gregory'],
    collation: () => ['default'],
    currency: () => [...currencies],
    numberingSystem: () => ['latn'],
    timeZone: zoneNames,
    unit: () => [...units],
  });

  const functions = {
    getCanonicalLocales(locales) {
      return canonicalList(locales);
    },
    supportedValuesOf(key) {
      const name = toText(key);
      if (!(name in lists)) throw new RangeError(`Invalid key : ${name}: use ${Object.keys(lists).join(', ')}`);
      return lists[name]();
    },
  };

  const Intl = {};
  const members = {
    ...functions, Collator, DateTimeFormat, ListFormat, NumberFormat, PluralRules, RelativeTimeFormat, Segmenter,
  };
  for (const name of Object.keys(members)) {
    Object.defineProperty(Intl, name, { value: members[name], writable: true, configurable: true });
  }
  Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });

  // ---- methods of intrinsics

  const uncurry = (method) => (target, ...args) => Reflect.apply(method, target, args);
  const thisNumber = uncurry(Number.prototype.valueOf);
  const thisBigInt = uncurry(BigInt.prototype.valueOf);
  const thisTime = uncurry(Date.prototype.getTime);
  const toUpperCase = uncurry(String.prototype.toUpperCase);
  const toLowerCase = uncurry(String.prototype.toLowerCase);
  const typedLength = uncurry(Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(Uint8Array.prototype), 'length').get);

  const thisString = (value, name) => {
    if (value === undefined || value === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return toText(value);
  };

  // Case is that of en-US in all languages, but a tag has to be one.
  const checkCaseLocale = (locales) => {
    canonicalList(locales);
  };

  // An array that contains itself prints as nothing inside itself, as with `join`.
  const active = [];
  const joinItems = (items, length, locales, options) => {
    if (active.includes(items)) return '';
    active.push(items);
    try {
      const texts = [];
      for (let i = 0; i < length; i += 1) {
        const item = items[i];
        texts.push(item === undefined || item === null ? '' : toText(item.toLocaleString(locales, options)));
      }
      return texts.join(',');
    } finally {
      active.pop();
    }
  };

  const toLength = (value) => {
    const number = Math.trunc(Number(value));
    return number > 0 ? Math.min(number, Number.MAX_SAFE_INTEGER) : 0;
  };

  const localeMethods = {
    'Number.prototype': {
      toLocaleString(locales = undefined, options = undefined) {
        return formatNumber(thisNumber(this), locales, options);
      },
    },
    'BigInt.prototype': {
      toLocaleString(locales = undefined, options = undefined) {
        return formatNumber(thisBigInt(this), locales, options);
      },
    },
    'Date.prototype': {
      toLocaleString(locales = undefined, options = undefined) {
        return formatDate(thisTime(this), locales, options, 'any', 'all');
      },
      toLocaleDateString(locales = undefined, options = undefined) {
        return formatDate(thisTime(this), locales, options, 'date', 'date');
      },
      toLocaleTimeString(locales = undefined, options = undefined) {
        return formatDate(thisTime(this), locales, options, 'time', 'time');
      },
    },
    'Array.prototype': {
      toLocaleString(locales = undefined, options = undefined) {
        if (this === undefined || this === null) throw new TypeError('Array.prototype.toLocaleString called on null or undefined');
        const items = Object(this);
        return joinItems(items, toLength(items.length), locales, options);
      },
    },
    '%TypedArray%.prototype': {
      toLocaleString(locales = undefined, options = undefined) {
        return joinItems(this, typedLength(this), locales, options);
      },
    },
    'String.prototype': {
      localeCompare(that, locales = undefined, options = undefined) {
        return compareStrings(thisString(this, 'localeCompare'), toText(that), locales, options);
      },
      toLocaleUpperCase(locales = undefined) {
        const text = thisString(this, 'toLocaleUpperCase');
        checkCaseLocale(locales);
        return toUpperCase(text);
      },
      toLocaleLowerCase(locales = undefined) {
        const text = thisString(this, 'toLocaleLowerCase');
        checkCaseLocale(locales);
        return toLowerCase(text);
      },
    },
  };

  return { Intl, localeMethods };
})
