// Intl, part 4: NumberFormat and PluralRules.
//
// Supported: style decimal, percent, currency (symbol, narrowSymbol, code, name; standard and accounting sign) and unit (all
// of ECMA-402's, also A-per-B); notation standard, compact, scientific and engineering; every digit, rounding, grouping and
// sign option; numbers, BigInts and decimal strings; formatToParts, formatRange, formatRangeToParts, resolvedOptions.
// Names (currencyDisplay "name") exist for the currencies listed in the error that others give. Digits are "latn".
((kit) => {
  'use strict';
  const { Math, Number, RangeError, String, TypeError } = globalThis;
  const {
    defineService, definedOnly, getOption, joinParts, outOfRange, requireOnly, resolveLocale, toOptions, toText,
  } = kit.intlLocale;
  const { digitOptions, formatDigits, isZero, magnitude, scale, toDecimal } = kit.intlDecimal;
  const { currencyDecimals, currencyName, currencySymbol, isUnit, unitText, units } = kit.intlNumberData;

  const owner = 'Intl.NumberFormat';
  const part = (type, value) => ({ type, value });

  // ---- options

  const readCurrency = (options, style) => {
    const currency = options.currency === undefined ? undefined : toText(options.currency);
    if (currency === undefined && style === 'currency') throw new TypeError('Currency code is required with currency style.');
    if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
    const currencyDisplay = getOption(owner, options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
    const currencySign = getOption(owner, options, 'currencySign', ['standard', 'accounting'], 'standard');
    if (style !== 'currency') return {};
    const code = currency.toUpperCase();
    if (currencyDisplay === 'name') currencyName(code, true);
    return { currency: code, currencyDisplay, currencySign };
  };

  const readUnit = (options, style) => {
    const unit = options.unit === undefined ? undefined : toText(options.unit);
    if (unit === undefined && style === 'unit') throw new TypeError(`Invalid unit argument for ${owner}() '': a unit is required with unit style`);
    if (unit !== undefined && !isUnit(unit)) {
      throw new RangeError(`Invalid unit argument for ${owner}() '${unit}': use one of ${units.join(', ')}, or two joined by "-per-"`);
    }
    const unitDisplay = getOption(owner, options, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
    return style === 'unit' ? { unit, unitDisplay } : {};
  };

  const readGrouping = (options, notation) => {
    const fallback = notation === 'compact' ? 'min2' : 'auto';
    const value = options.useGrouping;
    if (value === undefined) return fallback;
    if (value === true) return 'always';
    if (!value) return false;
    const text = toText(value);
    if (text === 'true' || text === 'false') return fallback;
    if (!['min2', 'auto', 'always'].includes(text)) throw outOfRange(owner, 'useGrouping', text, ['min2', 'auto', 'always', 'true', 'false']);
    return text;
  };

  const defaultDigits = (style, currency) => {
    if (style === 'currency') return [currencyDecimals(currency), currencyDecimals(currency)];
    return style === 'percent' ? [0, 0] : [0, 3];
  };

  const readSettings = (locales, options) => {
    const { locale, keywords } = resolveLocale(locales);
    const given = toOptions(options);
    getOption(owner, given, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    const numberingSystem = requireOnly(owner, given, 'numberingSystem', 'latn', keywords.nu);
    const style = getOption(owner, given, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const money = readCurrency(given, style);
    const measure = readUnit(given, style);
    const notation = getOption(owner, given, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    const digits = digitOptions(owner, given, defaultDigits(style, money.currency), notation);
    const compactDisplay = getOption(owner, given, 'compactDisplay', ['short', 'long'], 'short');
    const useGrouping = readGrouping(given, notation);
    const signDisplay = getOption(owner, given, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
    return {
      locale, numberingSystem, style, ...money, ...measure, ...digits, useGrouping, notation,
      compactDisplay: notation === 'compact' ? compactDisplay : undefined, signDisplay,
    };
  };

  // ---- the number itself

  const exponentFor = (power, notation) => {
    if (notation === 'scientific') return power;
    const thousands = 3 * Math.floor(power / 3);
    if (notation === 'engineering') return thousands;
    return thousands < 3 ? 0 : thousands > 12 ? 12 : thousands;
  };

  // Rounding can carry into the next power of ten, and with it into the next exponent: 999,999 is 1M, not 1000K.
  const digitsOf = (decimal, settings) => {
    if (settings.notation === 'standard') return { exponent: 0, ...formatDigits(decimal, settings) };
    const power = magnitude(decimal);
    const exponent = exponentFor(power, settings.notation);
    const shown = formatDigits(scale(decimal, -exponent), settings);
    const carried = magnitude(shown.rounded) + exponent;
    if (isZero(shown.rounded) || carried === power || exponentFor(carried, settings.notation) === exponent) {
      return { exponent, ...shown };
    }
    const next = exponentFor(carried, settings.notation);
    return { exponent: next, ...formatDigits(scale(decimal, -next), settings) };
  };

  const groupParts = (integer, useGrouping) => {
    const smallest = useGrouping === 'min2' ? 5 : 4;
    if (useGrouping === false || integer.length < smallest) return [part('integer', integer)];
    const parts = [];
    const head = integer.length % 3 || 3;
    for (let at = 0; at < integer.length; at += at === 0 ? head : 3) {
      if (at > 0) parts.push(part('group', ','));
      parts.push(part('integer', integer.slice(at, at === 0 ? head : at + 3)));
    }
    return parts;
  };

  const shortScales = { 3: 'K', 6: 'M', 9: 'B', 12: 'T' };
  const longScales = { 3: 'thousand', 6: 'million', 9: 'billion', 12: 'trillion' };

  const exponentParts = (exponent, settings) => {
    if (settings.notation === 'compact') {
      if (exponent === 0) return [];
      // English has no long forms for amounts of money with a symbol.
      const isLong =
        settings.compactDisplay === 'long' && (settings.style !== 'currency' || settings.currencyDisplay === 'name');
      return isLong
        ? [part('literal', ' '), part('compact', longScales[exponent])]
        : [part('compact', shortScales[exponent])];
    }
    const parts = [part('exponentSeparator', 'E')];
    if (exponent < 0) parts.push(part('exponentMinusSign', '-'));
    parts.push(part('exponentInteger', String(Math.abs(exponent))));
    return parts;
  };

  // { parts, isZero, isOne, isNan } of the number without sign and affixes.
  const numberParts = (decimal, settings) => {
    if (decimal.kind === 'nan') return { parts: [part('nan', 'NaN')], isNan: true, isZero: false, isOne: false };
    if (decimal.kind === 'infinite') return { parts: [part('infinity', '∞')], isNan: false, isZero: false, isOne: false };
    const { exponent, integer, fraction, rounded } = digitsOf(decimal, settings);
    const parts = groupParts(integer, settings.useGrouping);
    if (fraction !== '') parts.push(part('decimal', '.'), part('fraction', fraction));
    if (settings.notation !== 'standard') parts.push(...exponentParts(exponent, settings));
    const isOne = exponent === 0 && fraction === '' && /^0*1$/.test(integer);
    return { parts, isNan: false, isZero: isZero(rounded), isOne };
  };

  // ---- sign and affixes

  const signOf = (negative, number, signDisplay) => {
    switch (signDisplay) {
      case 'never': return '';
      case 'always': return negative ? '-' : '+';
      case 'exceptZero': return number.isZero || number.isNan ? '' : negative ? '-' : '+';
      case 'negative': return negative && !number.isZero ? '-' : '';
      default: return negative ? '-' : '';
    }
  };

  const signPart = (sign) => (sign === '' ? [] : [part(sign === '-' ? 'minusSign' : 'plusSign', sign)]);

  // [what goes before the number, what goes after it], without the sign.
  const affixes = ({ isOne, parts }, settings) => {
    if (settings.style === 'percent') return [[], [part('percentSign', '%')]];
    if (settings.style === 'unit') {
      const [text, spaced] = unitText(settings.unit, settings.unitDisplay, isOne);
      return [[], spaced ? [part('literal', ' '), part('unit', text)] : [part('unit', text)]];
    }
    if (settings.style !== 'currency') return [[], []];
    const { currency, currencyDisplay } = settings;
    if (currencyDisplay === 'name') return [[], [part('literal', ' '), part('currency', currencyName(currency, isOne))]];
    const symbol = currencySymbol(currency, currencyDisplay);
    // A symbol that ends in a letter would run into the digits.
    const spaced = parts[0].type === 'integer' && /[\p{L}.]$/u.test(symbol);
    return [spaced ? [part('currency', symbol), part('literal', '\u00a0')] : [part('currency', symbol)], []];
  };

  const partition = (value, settings, mark = []) => {
    const decimal = settings.style === 'percent' && value.kind === 'finite' ? scale(value, 2) : value;
    const number = numberParts(decimal, settings);
    const sign = signOf(decimal.negative, number, settings.signDisplay);
    const [before, after] = affixes(number, settings);
    // English puts neither "1.2K" nor "US dollars" into parentheses.
    const accounting =
      settings.currencySign === 'accounting' && settings.currencyDisplay !== 'name' && number.parts.at(-1).type !== 'compact';
    if (sign === '-' && accounting) {
      return [...mark, part('literal', '('), ...before, ...number.parts, ...after, part('literal', ')')];
    }
    return [...mark, ...signPart(sign), ...before, ...number.parts, ...after];
  };

  // ---- ranges

  const isNumeric = ({ type }) => ['integer', 'group', 'decimal', 'fraction', 'nan', 'infinity'].includes(type);
  const same = (left, right) => left.length === right.length && left.every((item, i) => item.value === right[i].value && item.type === right[i].type);
  const split = (parts) => {
    const first = parts.findIndex(isNumeric);
    const last = parts.findLastIndex(isNumeric);
    return [parts.slice(0, first), parts.slice(first, last + 1), parts.slice(last + 1)];
  };
  const from = (source, parts) => parts.map((item) => ({ ...item, source }));

  // A word is told once if both ends have it ("3–5 km", "CHF 3–5"); a lone sign such as "$" or "%" is repeated ("$3 – $5").
  const partitionRange = (start, end, settings) => {
    const left = partition(start, settings);
    const right = partition(end, settings);
    if (same(left, right)) return from('shared', partition(start, settings, [part('approximatelySign', '~')]));
    const [leftBefore, leftNumber, leftAfter] = split(left);
    const [rightBefore, rightNumber, rightAfter] = split(right);
    const hasWord = settings.style === 'unit' || settings.style === 'currency';
    const before = hasWord && joinParts(leftBefore).length > 1 && same(leftBefore, rightBefore) ? leftBefore : [];
    const after = hasWord && same(leftAfter, rightAfter) ? leftAfter : [];
    const first = left.slice(before.length, left.length - after.length);
    const second = right.slice(before.length, right.length - after.length);
    const bare = first.length === leftNumber.length && second.length === rightNumber.length;
    return [
      ...from('shared', before), ...from('startRange', first), ...from('shared', [part('literal', bare ? '–' : ' – ')]),
      ...from('endRange', second), ...from('shared', after),
    ];
  };

  const toRangeEnds = (start, end) => {
    if (start === undefined || end === undefined) throw new TypeError('a range needs a start and an end');
    const ends = [toDecimal(start), toDecimal(end)];
    if (ends[0].kind === 'nan') throw new RangeError('Invalid start : NaN');
    if (ends[1].kind === 'nan') throw new RangeError('Invalid end : NaN');
    return ends;
  };

  class NumberFormat {
    #settings;
    #format;

    constructor(locales = undefined, options = undefined) {
      this.#settings = readSettings(locales, options);
    }

    get format() {
      const settings = this.#settings;
      this.#format ??= (value) => joinParts(partition(toDecimal(value), settings));
      return this.#format;
    }

    formatToParts(value) {
      return partition(toDecimal(value), this.#settings);
    }

    formatRange(start, end) {
      const settings = this.#settings;
      return joinParts(partitionRange(...toRangeEnds(start, end), settings));
    }

    formatRangeToParts(start, end) {
      const settings = this.#settings;
      return partitionRange(...toRangeEnds(start, end), settings);
    }

    resolvedOptions() {
      const all = this.#settings;
      const names = [
        'locale', 'numberingSystem', 'style', 'currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay',
        'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits',
        'maximumSignificantDigits', 'useGrouping', 'notation', 'compactDisplay', 'signDisplay', 'roundingIncrement',
        'roundingMode', 'roundingPriority', 'trailingZeroDisplay',
      ];
      return definedOnly(names.map((name) => [name, all[name]]));
    }
  }

  // ---- plural rules

  const ordinalOf = (integer) => {
    const last = integer.slice(-1);
    if (integer.slice(-2, -1) === '1' && integer.length > 1) return 'other';
    return last === '1' ? 'one' : last === '2' ? 'two' : last === '3' ? 'few' : 'other';
  };

  const selectPlural = (decimal, settings) => {
    if (decimal.kind !== 'finite') return 'other';
    const { integer, fraction } = formatDigits(decimal, settings);
    const whole = integer.replace(/^0+(?=\d)/, '');
    if (settings.type === 'ordinal') return /[1-9]/.test(fraction) ? 'other' : ordinalOf(whole);
    return whole === '1' && fraction === '' ? 'one' : 'other';
  };

  class PluralRules {
    #settings;

    constructor(locales = undefined, options = undefined) {
      const { locale } = resolveLocale(locales);
      const given = toOptions(options);
      getOption('Intl.PluralRules', given, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
      const type = getOption('Intl.PluralRules', given, 'type', ['cardinal', 'ordinal'], 'cardinal');
      this.#settings = { locale, type, ...digitOptions('Intl.PluralRules', given, [0, 3], 'standard') };
    }

    select(value) {
      return selectPlural(toDecimal(Number(value)), this.#settings);
    }

    selectRange(start, end) {
      this.#settings;
      toRangeEnds(start, end);
      return 'other'; // whatever the ends, English uses the plural for a range
    }

    resolvedOptions() {
      const all = this.#settings;
      const names = [
        'locale', 'type', 'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits',
        'minimumSignificantDigits', 'maximumSignificantDigits',
      ];
      const rounding = ['roundingIncrement', 'roundingMode', 'roundingPriority', 'trailingZeroDisplay'];
      return definedOnly([
        ...names.map((name) => [name, all[name]]),
        ['pluralCategories', all.type === 'ordinal' ? ['few', 'one', 'two', 'other'] : ['one', 'other']],
        ...rounding.map((name) => [name, all[name]]),
      ]);
    }
  }

  const plain = readSettings(undefined, undefined);

  return {
    intlNumber: {
      NumberFormat: defineService(NumberFormat, { callable: true }),
      PluralRules: defineService(PluralRules),
      // What `toLocaleString` does; most calls have no arguments.
      formatNumber: (value, locales, options) => {
        const isPlain = locales === undefined && options === undefined;
        return joinParts(partition(toDecimal(value), isPlain ? plain : readSettings(locales, options)));
      },
      // For the parts of Intl that need a number inside a sentence.
      plainParts: (value) => partition(toDecimal(value), plain),
      isOne: (value) => numberParts(toDecimal(value), plain).isOne,
    },
  };
})
