// Intl, part 9: Collator, and with it `localeCompare`.
//
// The order is the one of Unicode's root collation where programs meet it: spaces, punctuation, symbols, currency signs,
// digits, then letters; accents matter only between words with the same letters, case only between words with the same
// accents, small before capital. `numeric`, `sensitivity`, `caseFirst` and `ignorePunctuation` work.
//
// Limits: only Latin has the root's exact order. Other scripts follow in the order of their code points (which is the
// alphabet's for Greek, Cyrillic, Hebrew, Arabic, Thai consonants and kana, but not for Han readings); digits of other
// scripts equal ours; phonetic Latin letters sort after z.
((kit) => {
  'use strict';
  const { Object, RangeError, String } = globalThis;
  const { defineService, getBoolean, getOption, resolveLocale, toOptions, toText } = kit.intlLocale;

  // ---- weights. A character is one or more elements [primary, secondary, tertiary]; a primary of 0 marks an accent.

  const spaces = '\t\n\v\f\r\x85\u2028\u2029 ';
  const punctuation = '_-\u2010\u2012\u2013\u2014\u2015,;:!¡?¿.·\'‹›"«»()[]{}§¶@*/\\&#%‰†‡•';
  const symbols = '`´^¯¨¸°©®←→↑↓∂∑+±÷×<=>¬|¦~−√∞≤≥';
  const currencies = '¤¢$£¥€';
  const firstSymbol = 1000;
  const firstCurrency = 0x200000;
  const firstDigit = 0x210000;
  const firstLetter = 0x220000;
  const firstOther = 0x230000;

  const primaries = Object.create(null);
  const number = (characters, start) => [...characters].forEach((character, i) => { primaries[character] = start + i; });
  number(spaces + punctuation, 1);
  number(symbols, firstSymbol);
  number(currencies, firstCurrency);
  number('0123456789', firstDigit);
  number('abcdefghijklmnopqrstuvwxyz', firstLetter);
  for (let i = 0; i < 26; i += 1) primaries['abcdefghijklmnopqrstuvwxyz'[i]] = firstLetter + 2 * i;
  primaries['ı'] = primaries.i + 1;

  // Accents in the root's order; the rest follow by code point. 1 is "no accent", 2 "a variant of".
  const accents = Object.create(null);
  [...'\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304'].forEach((mark, i) => { accents[mark] = 3 + i; });
  const variant = 2;

  // Letters that no normalization form takes apart, but the root does. `/` adds a stroke, `~` marks a variant.
  const expansions = Object.assign(Object.create(null), {
    æ: 'a~e', œ: 'o~e', ß: 's~s', ø: 'o/', đ: 'd/', ð: 'd~', ħ: 'h/', ł: 'l/', ſ: 's~', ŋ: 'n~', þ: 'þ',
    '\u2018': "'~", '\u2019': "'~", '\u201c': '"~', '\u201d': '"~', '\u201e': '"~', '\u2011': '\u2010~',
  });

  // Tertiary weights: plain, compatibility form, capital, capital compatibility form.
  const tertiaryOf = (isUpper, isCompatible) => 1 + (isCompatible ? 1 : 0) + (isUpper ? 2 : 0);

  const otherPrimary = (character, point) => {
    if (/\p{Z}/u.test(character)) return primaries[' '];
    if (/\p{P}/u.test(character)) return 500 + point / 0x200000;
    if (/\p{Sc}/u.test(character)) return firstCurrency + 0x100 + point / 0x200000;
    if (/\p{S}/u.test(character)) return firstSymbol + 0x100 + point;
    return firstOther + point;
  };

  const pushExpansion = (elements, text, tertiary) => {
    for (const character of text) {
      if (character === '/') elements.push([0, accents['\u0338'], 1]);
      else if (character === '~') elements.push([0, variant, 1]);
      else elements.push([primaries[character] ?? firstOther + character.codePointAt(0), 1, tertiary]);
    }
  };

  const pushCharacter = (elements, character, isCompatible) => {
    const point = character.codePointAt(0);
    if (/\p{M}/u.test(character)) {
      elements.push([0, accents[character] ?? 100 + point, 1]);
      return;
    }
    const lower = character.toLowerCase();
    const tertiary = tertiaryOf(lower !== character, isCompatible);
    if (lower in primaries) {
      elements.push([primaries[lower], 1, tertiary]);
    } else if (lower in expansions) {
      pushExpansion(elements, expansions[lower], tertiary);
    } else if (/[\u30a1-\u30f6]/.test(character)) {
      elements.push([firstOther + point - 0x60, 1, tertiaryOf(false, true)]); // katakana after its hiragana
    } else if (!/\p{Cc}|\p{Cf}/u.test(character)) {
      const isWhole = !isCompatible && character.normalize('NFD') === character;
      const plain = isWhole ? character.normalize('NFKD') : character;
      if (plain === character) elements.push([lower === character ? otherPrimary(character, point) : otherPrimary(lower, lower.codePointAt(0)), 1, tertiary]);
      else for (const piece of plain) pushCharacter(elements, piece, true);
    }
  };

  // A number is one element per digit behind its length, so that longer numbers are greater. Numbers come before single
  // signs such as "①".
  const pushNumber = (elements, digits) => {
    const significant = digits.replace(/^0+(?=\d)/, '');
    elements.push([firstDigit - 1 / (1 + significant.length), 1, 1]);
    for (const digit of significant) elements.push([primaries[digit], 1, 1]);
  };

  // Accents on punctuation go with it.
  const withoutPunctuation = (elements) => {
    let keep = true;
    return elements.filter(([primary]) => {
      if (primary !== 0) keep = primary >= firstSymbol;
      return keep;
    });
  };

  // Every script's ten digits stand in a row, so a digit's value is its distance from the first of them.
  const digitValue = (digit) => {
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0) - value - 1))) value += 1;
    return String(value);
  };
  const toAsciiDigits = (text) => (/[^\x00-\x7f]/.test(text) ? text.replace(/(?![0-9])\p{Nd}/gu, digitValue) : text);

  const elementsOf = (text, { numeric, ignorePunctuation }) => {
    const elements = [];
    // й is a letter of its own, not an и with an accent.
    const characters = toAsciiDigits(text.normalize('NFD')).replace(/и\u0306/giu, (pair) => pair.normalize('NFC'));
    const pieces = numeric ? characters.match(/[0-9]+|[\s\S]/gu) ?? [] : [...characters];
    for (const piece of pieces) {
      if (numeric && /^[0-9]/.test(piece)) pushNumber(elements, piece);
      else pushCharacter(elements, piece, false);
    }
    return ignorePunctuation ? withoutPunctuation(elements) : elements;
  };

  // ---- comparison, one level after the other

  const compareLists = (left, right) => {
    const length = left.length < right.length ? left.length : right.length;
    for (let i = 0; i < length; i += 1) if (left[i] !== right[i]) return left[i] < right[i] ? -1 : 1;
    return left.length === right.length ? 0 : left.length < right.length ? -1 : 1;
  };
  const primaryLevel = (elements) => elements.filter(([primary]) => primary !== 0).map(([primary]) => primary);
  const secondaryLevel = (elements) => elements.map(([, secondary]) => secondary);
  const caseLevel = (elements) => elements.filter(([primary]) => primary !== 0).map(([, , tertiary]) => (tertiary > 2 ? 1 : 0));
  const tertiaryLevel = (elements) => elements.map(([, , tertiary]) => tertiary);

  const compareSlowly = (left, right, settings) => {
    const a = elementsOf(left, settings);
    const b = elementsOf(right, settings);
    const flip = settings.caseFirst === 'upper' ? -1 : 1;
    const { sensitivity } = settings;
    let result = compareLists(primaryLevel(a), primaryLevel(b));
    if (result === 0 && (sensitivity === 'accent' || sensitivity === 'variant')) result = compareLists(secondaryLevel(a), secondaryLevel(b));
    if (result === 0 && (sensitivity === 'case' || (sensitivity === 'variant' && flip < 0))) result = flip * compareLists(caseLevel(a), caseLevel(b));
    if (result === 0 && sensitivity === 'variant') result = compareLists(tertiaryLevel(a), tertiaryLevel(b));
    return result;
  };

  // Printable ASCII, which is most of what gets sorted, needs no decomposition: one pass, two tables. Undefined where
  // anything else turns up before the answer is clear.
  const asciiPrimary = [];
  const asciiUpper = [];
  for (let code = 0; code < 127; code += 1) {
    const character = String.fromCharCode(code);
    asciiPrimary.push(code < 32 ? undefined : primaries[character.toLowerCase()]);
    asciiUpper.push(character >= 'A' && character <= 'Z' ? 1 : 0);
  }

  const compareAscii = (left, right, { sensitivity, caseFirst }) => {
    const length = left.length < right.length ? left.length : right.length;
    let byCase = 0;
    for (let i = 0; i < length; i += 1) {
      const a = left.charCodeAt(i);
      const b = right.charCodeAt(i);
      const primary = asciiPrimary[a];
      if (primary === undefined) return undefined;
      if (a !== b) {
        const other = asciiPrimary[b];
        if (other === undefined) return undefined;
        if (primary !== other) return primary < other ? -1 : 1;
        if (byCase === 0) byCase = asciiUpper[a] - asciiUpper[b];
      }
    }
    if (left.length !== right.length) {
      const next = (left.length < right.length ? right : left).charCodeAt(length);
      if (asciiPrimary[next] === undefined) return undefined;
      return left.length < right.length ? -1 : 1;
    }
    if (sensitivity === 'base' || sensitivity === 'accent') return 0;
    return caseFirst === 'upper' ? 0 - byCase : byCase;
  };

  const compare = (left, right, settings) => {
    if (left === right) return 0;
    const quick = settings.numeric || settings.ignorePunctuation ? undefined : compareAscii(left, right, settings);
    return quick ?? compareSlowly(left, right, settings);
  };

  // ---- the service

  const owner = 'Intl.Collator';
  const readSettings = (locales, options) => {
    const { locale, keywords } = resolveLocale(locales);
    const given = toOptions(options);
    const usage = getOption(owner, given, 'usage', ['sort', 'search'], 'sort');
    getOption(owner, given, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    const collation = toText(given.collation ?? keywords.co ?? 'default');
    if (collation !== 'default') {
      throw new RangeError(`${owner}: the collation "${collation}" is not available in this cell: only "default" is`);
    }
    const numeric = getBoolean(given, 'numeric', keywords.kn !== undefined && keywords.kn !== 'false');
    const keyword = ['upper', 'lower', 'false'].includes(keywords.kf) ? keywords.kf : 'false';
    const caseFirst = getOption(owner, given, 'caseFirst', ['upper', 'lower', 'false'], keyword);
    const sensitivity = getOption(owner, given, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant');
    const ignorePunctuation = getBoolean(given, 'ignorePunctuation', false);
    return { locale, usage, sensitivity, ignorePunctuation, collation: 'default', numeric, caseFirst };
  };

  class Collator {
    #settings;
    #compare;

    constructor(locales = undefined, options = undefined) {
      this.#settings = readSettings(locales, options);
    }

    get compare() {
      const settings = this.#settings;
      this.#compare ??= (left, right) => compare(toText(left), toText(right), settings);
      return this.#compare;
    }

    resolvedOptions() {
      return { ...this.#settings };
    }
  }

  const plain = readSettings(undefined, undefined);
  const compareStrings = (left, right, locales, options) =>
    compare(left, right, locales === undefined && options === undefined ? plain : readSettings(locales, options));

  return { intlCollate: { Collator: defineService(Collator, { callable: true }), compareStrings } };
})
