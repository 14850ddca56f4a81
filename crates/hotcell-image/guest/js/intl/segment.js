// Intl, part 10: Segmenter by graphemes and words.
//
// Graphemes: combining marks, emoji with modifiers, joiners and flags, and Hangul stay together; the rules of Indic
// conjuncts are not applied. Words: letters, digits and underscores with the apostrophes, points and commas inside them.
// Refused: sentences, and words of scripts that are written without spaces, which need a dictionary.
((kit) => {
  'use strict';
  const { Math, Number, Object, RangeError, RegExp, Symbol } = globalThis;
  const { defineService, getOption, resolveLocale, toOptionsObject, toText } = kit.intlLocale;

  const extend = '[\\p{M}\\u200c\\u200d\\ufe0f\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]';
  const pictograph = `\\p{Extended_Pictographic}(?:${extend.replace('\\u200d', '')})*`;
  const hangul = '[\\u1100-\\u115f\\ua960-\\ua97c]*(?:[\\uac00-\\ud7a3]|[\\u1160-\\u11a7\\ud7b0-\\ud7c6])[\\u1160-\\u11ff\\ud7b0-\\ud7fb]*';
  const graphemes = `\\r\\n|[\\p{Cc}\\u2028\\u2029]|(?:${pictograph}(?:\\u200d${pictograph})*|\\p{RI}\\p{RI}|${hangul}|[\\s\\S])${extend}*`;

  const letter = '[\\p{L}\\p{Nl}_\\p{Pc}]';
  const follow = '[\\p{M}\\u200d\\p{Cf}]*';
  const letterOrDigit = `(?:${letter}|\\p{Nd})${follow}`;
  const words =
    `\\r\\n|${letterOrDigit}(?:(?:(?<=\\p{L}${follow})[.:·'’](?=\\p{L})|(?<=\\p{Nd}${follow})[.,;'’](?=\\p{Nd}))?${letterOrDigit})*` +
    `|[ \\u2000-\\u200a\\u205f\\u3000\\u1680]+|(?:${pictograph}(?:\\u200d${pictograph})*|\\p{RI}\\p{RI}|[\\s\\S])${follow}`;
  const patterns = { grapheme: graphemes, word: words };
  const needsDictionary = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;

  const segmentsOf = (text, granularity) => {
    if (granularity === 'word' && needsDictionary.test(text)) {
      throw new RangeError('Intl.Segmenter: words of scripts without spaces are not available in this cell: use granularity "grapheme"');
    }
    const segments = [];
    let index = 0;
    for (const segment of text.match(new RegExp(patterns[granularity], 'gu')) ?? []) {
      const found = { segment, index, input: text };
      if (granularity === 'word') found.isWordLike = /[\p{L}\p{N}]/u.test(segment);
      segments.push(found);
      index += segment.length;
    }
    return segments;
  };

  class Segments {
    #text;
    #granularity;

    constructor(text, granularity) {
      this.#text = text;
      this.#granularity = granularity;
    }

    containing(index = 0) {
      const at = Math.trunc(Number(index)) || 0;
      if (at < 0 || at >= this.#text.length) return undefined;
      return segmentsOf(this.#text, this.#granularity).find((found) => at < found.index + found.segment.length);
    }

    [Symbol.iterator]() {
      return segmentsOf(this.#text, this.#granularity)[Symbol.iterator]();
    }
  }
  delete Segments.prototype.constructor;

  class Segmenter {
    #settings;

    constructor(locales = undefined, options = undefined) {
      const { locale } = resolveLocale(locales);
      const given = toOptionsObject('Intl.Segmenter', options);
      getOption('Intl.Segmenter', given, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
      const granularity = getOption('Intl.Segmenter', given, 'granularity', ['grapheme', 'word'], 'grapheme');
      this.#settings = { locale, granularity };
    }

    segment(text) {
      const { granularity } = this.#settings;
      return new Segments(toText(text), granularity);
    }

    resolvedOptions() {
      return { ...this.#settings };
    }
  }

  // Nothing exported leads to this prototype, so nobody else would freeze it.
  for (const key of ['containing', Symbol.iterator]) Object.freeze(Segments.prototype[key]);
  Object.freeze(Segments.prototype);

  return { intlSegment: { Segmenter: defineService(Segmenter) } };
})
