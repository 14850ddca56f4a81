// Intl, part 2: decimal arithmetic. Numbers are rounded in decimal, from the digits that `String(number)` shows, as every
// engine does it: 1.005 to two places is 1.01. BigInts and decimal strings keep all their digits.
((kit) => {
  'use strict';
  const { BigInt, Math, Number, Object, RangeError, Reflect, String, Symbol, TypeError } = globalThis;
  const { getNumber, getOption, toLimited } = kit.intlLocale;

  // ---- values: { kind: 'finite' | 'infinite' | 'nan', negative, digits, exponent }, meaning digits × 10^exponent, where
  // `digits` is a string without zeros in front; zero is '0'

  const special = (kind, negative = false) => ({ kind, negative, digits: '0', exponent: 0 });
  const finite = (negative, digits, exponent) => ({ kind: 'finite', negative, digits, exponent });

  const trimStart = (digits) => (digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits);

  const decimalPattern = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i;
  const parseDecimal = (text) => {
    const match = decimalPattern.exec(text);
    if (match === null) return undefined;
    const [, sign, whole = '', fraction = match[4] ?? '', , power = '0'] = match;
    return finite(sign === '-', trimStart(`${whole}${fraction}`), Number(power) - fraction.length);
  };

  // A string is read like a numeric literal, but without a loss of digits inside the range of Number.
  const fromString = (text) => {
    const trimmed = text.trim();
    const number = Number(trimmed);
    if (number !== number) return special('nan');
    if (number === Infinity || number === -Infinity) return special('infinite', number < 0);
    const exact = parseDecimal(trimmed);
    if (exact === undefined) return fromNumber(number);
    return number === 0 ? finite(exact.negative, '0', 0) : exact;
  };

  const fromNumber = (number) => {
    if (number !== number) return special('nan');
    if (number === Infinity || number === -Infinity) return special('infinite', number < 0);
    if (number === 0) return finite(Object.is(number, -0), '0', 0);
    return parseDecimal(String(number));
  };

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const toPrimitive = (value) => {
    if (!isObject(value)) return value;
    const exotic = value[Symbol.toPrimitive];
    if (exotic !== undefined && exotic !== null) {
      const result = Reflect.apply(exotic, value, ['number']);
      if (!isObject(result)) return result;
    } else {
      for (const name of ['valueOf', 'toString']) {
        const method = value[name];
        const result = typeof method === 'function' ? Reflect.apply(method, value, []) : value;
        if (!isObject(result)) return result;
      }
    }
    throw new TypeError('Cannot convert object to primitive value');
  };

  const toDecimal = (value) => {
    const primitive = toPrimitive(value);
    if (typeof primitive === 'bigint') return finite(primitive < 0n, String(primitive < 0n ? -primitive : primitive), 0);
    return typeof primitive === 'string' ? fromString(primitive) : fromNumber(Number(primitive));
  };

  // The power of ten of the first digit.
  const isZero = ({ digits }) => digits === '0';
  const magnitude = (decimal) => (isZero(decimal) ? 0 : decimal.digits.length + decimal.exponent - 1);
  const scale = (decimal, power) => ({ ...decimal, exponent: decimal.exponent + power });

  // ---- rounding

  const roundingModes = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];
  const roundingIncrements = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

  // Whether the magnitude grows; `half` is below, at or above one half: -1, 0, 1.
  const roundsAway = (mode, negative, half, isOdd) => {
    switch (mode) {
      case 'ceil': return !negative;
      case 'floor': return negative;
      case 'expand': return true;
      case 'trunc': return false;
      default:
    }
    if (half !== 0) return half > 0;
    switch (mode) {
      case 'halfCeil': return !negative;
      case 'halfFloor': return negative;
      case 'halfTrunc': return false;
      case 'halfEven': return isOdd;
      default: return true;
    }
  };

  const addOne = (digits) => {
    let end = digits.length;
    while (end > 0 && digits[end - 1] === '9') end -= 1;
    const nines = digits.length - end;
    const head = digits.slice(0, end);
    const raised = head === '' ? '1' : head.slice(0, -1) + String(1 + Number(head.at(-1)));
    return raised + '0'.repeat(nines);
  };

  // To a multiple of 10^place, where some digits stand behind that place.
  const roundDigits = ({ negative, digits, exponent }, place, mode) => {
    const dropped = place - exponent;
    const kept = digits.length > dropped ? digits.slice(0, digits.length - dropped) : '0';
    const rest = digits.length > dropped ? digits.slice(-dropped) : digits;
    if (/^0*$/.test(rest)) return finite(negative, kept, place);
    const isHalf = digits.length >= dropped && /^50*$/.test(rest);
    const half = isHalf ? 0 : digits.length >= dropped && rest[0] >= '5' ? 1 : -1;
    const isOdd = Number(kept.at(-1)) % 2 === 1;
    return finite(negative, roundsAway(mode, negative, half, isOdd) ? addOne(kept) : kept, place);
  };

  // To a multiple of increment × 10^place.
  const roundToIncrement = ({ negative, digits, exponent }, place, increment, mode) => {
    const shift = 10n ** BigInt(Math.abs(exponent - place));
    const numerator = exponent > place ? BigInt(digits) * shift : BigInt(digits);
    const divisor = exponent > place ? BigInt(increment) : BigInt(increment) * shift;
    let quotient = numerator / divisor;
    const remainder = numerator % divisor;
    if (remainder !== 0n) {
      const twice = 2n * remainder;
      const half = twice < divisor ? -1 : twice > divisor ? 1 : 0;
      if (roundsAway(mode, negative, half, quotient % 2n === 1n)) quotient += 1n;
    }
    return finite(negative, String(quotient * BigInt(increment)), place);
  };

  const round = (decimal, place, increment, mode) => {
    if (increment !== 1) return roundToIncrement(decimal, place, increment, mode);
    return decimal.exponent >= place ? decimal : roundDigits(decimal, place, mode);
  };

  // ---- digits

  const trimEnd = (digits) => {
    let end = digits.length;
    while (end > 0 && digits[end - 1] === '0') end -= 1;
    return digits.slice(0, end);
  };

  // The decimal written out, with at least `minimum` digits after the point and no other zeros at the end.
  const writeOut = ({ digits, exponent }, minimum) => {
    let text = digits;
    let fraction = '';
    if (exponent >= 0) {
      if (digits !== '0') text += '0'.repeat(exponent);
    } else {
      text = text.padStart(1 - exponent, '0');
      fraction = trimEnd(text.slice(exponent));
      text = text.slice(0, exponent);
    }
    return { integer: text, fraction: fraction.padEnd(minimum, '0') };
  };

  const byFraction = (decimal, { minimumFractionDigits, maximumFractionDigits, roundingIncrement, roundingMode }) => {
    const rounded = round(decimal, -maximumFractionDigits, roundingIncrement, roundingMode);
    return { rounded, place: -maximumFractionDigits, ...writeOut(rounded, minimumFractionDigits) };
  };

  const bySignificance = (decimal, { minimumSignificantDigits, maximumSignificantDigits, roundingMode }) => {
    const rounded = round(decimal, magnitude(decimal) - maximumSignificantDigits + 1, 1, roundingMode);
    const first = magnitude(rounded);
    const wanted = minimumSignificantDigits - 1 - first;
    return { rounded, place: first - maximumSignificantDigits + 1, ...writeOut(rounded, wanted > 0 ? wanted : 0) };
  };

  // Rounds a finite decimal by the digit options: { integer, fraction, rounded }.
  const formatDigits = (decimal, settings) => {
    let result;
    if (settings.roundingType === 'fractionDigits') {
      result = byFraction(decimal, settings);
    } else if (settings.roundingType === 'significantDigits') {
      result = bySignificance(decimal, settings);
    } else {
      const significant = bySignificance(decimal, settings);
      const fixed = byFraction(decimal, settings);
      const takeSignificant =
        settings.roundingType === 'morePrecision' ? significant.place <= fixed.place : significant.place > fixed.place;
      result = takeSignificant ? significant : fixed;
    }
    const { rounded, integer, fraction } = result;
    const strip = settings.trailingZeroDisplay === 'stripIfInteger' && /^0*$/.test(fraction);
    return { rounded, integer: integer.padStart(settings.minimumIntegerDigits, '0'), fraction: strip ? '' : fraction };
  };

  // ---- the digit options of NumberFormat and PluralRules

  const fractionOptions = (minimum, maximum, defaults) => {
    // Node 20 allows 20 digits, the current standard 100.
    const low = toLimited(minimum, 'minimumFractionDigits', 0, 100, undefined);
    const high = toLimited(maximum, 'maximumFractionDigits', 0, 100, undefined);
    if (low === undefined && high === undefined) return defaults;
    if (low === undefined) return [defaults[0] < high ? defaults[0] : high, high];
    if (high === undefined) return [low, defaults[1] > low ? defaults[1] : low];
    if (low > high) {
      throw new RangeError(`maximumFractionDigits value is out of range: ${high} is less than minimumFractionDigits ${low}`);
    }
    return [low, high];
  };

  const significanceOptions = (minimum, maximum) => {
    const low = toLimited(minimum, 'minimumSignificantDigits', 1, 21, 1);
    return [low, toLimited(maximum, 'maximumSignificantDigits', low, 21, 21)];
  };

  const digitOptions = (owner, options, [minimumDefault, maximumDefault], notation) => {
    const minimumIntegerDigits = getNumber(options, 'minimumIntegerDigits', 1, 21, 1);
    const { minimumFractionDigits: lowF, maximumFractionDigits: highF } = options;
    const { minimumSignificantDigits: lowS, maximumSignificantDigits: highS } = options;
    const roundingIncrement = getNumber(options, 'roundingIncrement', 1, 5000, 1);
    if (!roundingIncrements.includes(roundingIncrement)) {
      throw new RangeError(`roundingIncrement value is out of range: use ${roundingIncrements.join(', ')}`);
    }
    const roundingMode = getOption(owner, options, 'roundingMode', roundingModes, 'halfExpand');
    const priority = getOption(owner, options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto');
    const trailingZeroDisplay = getOption(owner, options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto');

    const hasSignificant = lowS !== undefined || highS !== undefined;
    const hasFraction = lowF !== undefined || highF !== undefined;
    const useSignificant = priority !== 'auto' || hasSignificant;
    const useFraction = priority !== 'auto' || (!hasSignificant && (hasFraction || notation !== 'compact'));
    const settings = { minimumIntegerDigits, roundingIncrement, roundingMode, trailingZeroDisplay };
    if (useSignificant) {
      [settings.minimumSignificantDigits, settings.maximumSignificantDigits] = significanceOptions(lowS, highS);
    }
    if (useFraction) {
      const defaults = [minimumDefault, roundingIncrement === 1 ? maximumDefault : minimumDefault];
      [settings.minimumFractionDigits, settings.maximumFractionDigits] = fractionOptions(lowF, highF, defaults);
    }
    if (!useSignificant && !useFraction) {
      // Compact numbers show two digits, or all of the whole number if it has more.
      settings.minimumFractionDigits = 0;
      settings.maximumFractionDigits = 0;
      settings.minimumSignificantDigits = 1;
      settings.maximumSignificantDigits = 2;
      settings.roundingType = 'morePrecision';
    } else if (priority !== 'auto') {
      settings.roundingType = priority;
    } else {
      settings.roundingType = hasSignificant ? 'significantDigits' : 'fractionDigits';
    }
    settings.roundingPriority = settings.roundingType.endsWith('Precision') ? settings.roundingType : 'auto';
    if (roundingIncrement !== 1) {
      if (settings.roundingType !== 'fractionDigits') {
        throw new TypeError('roundingIncrement goes with fraction digits only, not with significant digits or a rounding priority');
      }
      if (settings.minimumFractionDigits !== settings.maximumFractionDigits) {
        throw new RangeError('roundingIncrement needs minimumFractionDigits and maximumFractionDigits to be equal');
      }
    }
    return settings;
  };

  return { intlDecimal: { digitOptions, formatDigits, isZero, magnitude, scale, toDecimal } };
})
