// Intl, part 8: ListFormat and RelativeTimeFormat, everything they have.
((kit) => {
  'use strict';
  const { Math, Number, Object, RangeError, String, Symbol, TypeError } = globalThis;
  const { defineService, getOption, joinParts, requireOnly, resolveLocale, toOptions, toOptionsObject, toText } = kit.intlLocale;
  const { isOne, plainParts } = kit.intlNumber;

  const matchers = ['lookup', 'best fit'];
  const widths = ['long', 'short', 'narrow'];

  // ---- lists

  // [between two items, before the last of several]
  const joiners = (type, style) => {
    if (type === 'disjunction') return [' or ', ', or '];
    if (type === 'unit') return style === 'narrow' ? [' ', ' '] : [', ', ', '];
    return { long: [' and ', ', and '], short: [' & ', ', & '], narrow: [', ', ', '] }[style];
  };

  const toStrings = (iterable) => {
    if (iterable === undefined) return [];
    if (iterable === null || typeof iterable[Symbol.iterator] !== 'function') {
      throw new TypeError('Intl.ListFormat: the list has to be iterable, such as an array of strings');
    }
    const items = [];
    for (const item of iterable) {
      if (typeof item !== 'string') throw new TypeError(`Iterable yielded ${String(item)} which is not a string`);
      items.push(item);
    }
    return items;
  };

  const listParts = (items, { type, style }) => {
    const [pair, last] = joiners(type, style);
    const middle = type === 'unit' && style === 'narrow' ? ' ' : ', ';
    const parts = [];
    items.forEach((value, i) => {
      if (i > 0) {
        const joiner = i < items.length - 1 ? middle : items.length === 2 ? pair : last;
        parts.push({ type: 'literal', value: joiner });
      }
      parts.push({ type: 'element', value });
    });
    return parts;
  };

  class ListFormat {
    #settings;

    constructor(locales = undefined, options = undefined) {
      const { locale } = resolveLocale(locales);
      const given = toOptionsObject('Intl.ListFormat', options);
      getOption('Intl.ListFormat', given, 'localeMatcher', matchers, 'best fit');
      const type = getOption('Intl.ListFormat', given, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
      const style = getOption('Intl.ListFormat', given, 'style', widths, 'long');
      this.#settings = { locale, type, style };
    }

    format(list) {
      const settings = this.#settings;
      return joinParts(listParts(toStrings(list), settings));
    }

    formatToParts(list) {
      const settings = this.#settings;
      return listParts(toStrings(list), settings);
    }

    resolvedOptions() {
      return { ...this.#settings };
    }
  }

  // ---- relative times

  const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
  const shorts = { second: 'sec.', minute: 'min.', hour: 'hr.', day: 'day', week: 'wk.', month: 'mo.', quarter: 'qtr.', year: 'yr.' };
  const narrows = { second: 's', minute: 'm', hour: 'h', day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' };

  const unitName = (unit, style, one) => {
    if (style === 'narrow') return narrows[unit];
    if (style === 'long') return one ? ` ${unit}` : ` ${unit}s`;
    if (!one && unit === 'day') return ' days';
    return !one && unit === 'quarter' ? ' qtrs.' : ` ${shorts[unit]}`;
  };

  // What numeric: "auto" says instead of -1, 0 and 1.
  const phrase = (value, unit, style) => {
    if (value === 0 && unit === 'second') return 'now';
    if (value === 0 && (unit === 'minute' || unit === 'hour')) return `this ${unit}`;
    if (unit === 'second' || unit === 'minute' || unit === 'hour') return undefined;
    if (unit === 'day') return value === 0 ? 'today' : value === 1 ? 'tomorrow' : value === -1 ? 'yesterday' : undefined;
    const name = style === 'long' ? unit : shorts[unit];
    return value === 0 ? `this ${name}` : value === 1 ? `next ${name}` : value === -1 ? `last ${name}` : undefined;
  };

  const toUnit = (value) => {
    const text = toText(value);
    const unit = text.endsWith('s') ? text.slice(0, -1) : text;
    if (!units.includes(unit)) {
      throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${text}': use ${units.join(', ')}`);
    }
    return unit;
  };

  const relativeParts = (value, givenUnit, { style, numeric }) => {
    const number = Number(value);
    const unit = toUnit(givenUnit);
    if (!(Math.abs(number) < Infinity)) {
      throw new RangeError('Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()');
    }
    const words = numeric === 'auto' ? phrase(number, unit, style) : undefined;
    if (words !== undefined) return [{ type: 'literal', value: words }];
    const isPast = number < 0 || Object.is(number, -0);
    const size = Math.abs(number);
    const name = unitName(unit, style, isOne(size));
    const digits = plainParts(size).map((part) => ({ ...part, unit }));
    return isPast
      ? [...digits, { type: 'literal', value: `${name} ago` }]
      : [{ type: 'literal', value: 'in ' }, ...digits, { type: 'literal', value: name }];
  };

  class RelativeTimeFormat {
    #settings;

    constructor(locales = undefined, options = undefined) {
      const { locale, keywords } = resolveLocale(locales);
      const given = toOptions(options);
      getOption('Intl.RelativeTimeFormat', given, 'localeMatcher', matchers, 'best fit');
      const numberingSystem = requireOnly('Intl.RelativeTimeFormat', given, 'numberingSystem', 'latn', keywords.nu);
      const style = getOption('Intl.RelativeTimeFormat', given, 'style', widths, 'long');
      const numeric = getOption('Intl.RelativeTimeFormat', given, 'numeric', ['always', 'auto'], 'always');
      this.#settings = { locale, style, numeric, numberingSystem };
    }

    format(value, unit) {
      const settings = this.#settings;
      return joinParts(relativeParts(value, unit, settings));
    }

    formatToParts(value, unit) {
      const settings = this.#settings;
      return relativeParts(value, unit, settings);
    }

    resolvedOptions() {
      return { ...this.#settings };
    }
  }

  return { intlText: { ListFormat: defineService(ListFormat), RelativeTimeFormat: defineService(RelativeTimeFormat) } };
})
