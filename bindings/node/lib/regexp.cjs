'use strict';
// What it costs V8 to make a regular expression: it reads the source at once, and for properties of characters it makes their
// sets. Estimated in microseconds, each as measured on Node 20 and then doubled.

const CHARACTER = 1;
/** The same if its case does not matter among all characters there are: each of `[\\w\\w…]` is folded with all before it. */
const FOLDED_CHARACTER = 20;
/** `[…]` of any characters if their case does not matter, or in operations on sets. */
const CLASS = 100;
/** `\p{…}` */
const PROPERTY = 80;
/** The same if it can be in operations on sets. */
const PROPERTY_IN_SETS = 400;
/** The same for sets of strings: there are thousands of emojis. */
const STRINGS = 15_000;

/** The most that one may cost, so that the event loop can turn. */
const MOST_ONE = 20_000;
/** The most that all in one message may cost. */
const MOST_ALL = 60_000;

function count(source, pattern) {
  return source.match(pattern)?.length ?? 0;
}

function cost(source, flags) {
  const sets = flags.includes('v');
  const unicode = sets || flags.includes('u');
  const folds = unicode && flags.includes('i');
  const characters = source.length * (folds ? FOLDED_CHARACTER : CHARACTER);
  if (characters > MOST_ONE) return characters;
  const classes = sets || folds ? count(source, /\[/g) * CLASS : 0;
  const properties = unicode ? count(source, /\\p/gi) : 0;
  const strings = sets ? count(source, /RGI_|Basic_Emoji|Keycap/g) : 0;
  return characters + classes + properties * (sets ? PROPERTY_IN_SETS : PROPERTY) + strings * STRINGS;
}

/** Makes the regular expressions of one message. */
class RegExps {
  #left = MOST_ALL;

  /** Throws what V8 throws, and if it would take V8 too long. */
  make(source, flags) {
    const needed = cost(source, flags);
    if (needed > MOST_ONE) throw new RangeError('it would take too long');
    if (needed > this.#left) throw new RangeError('all of them would take too long');
    this.#left -= needed;
    return new RegExp(source, flags);
  }
}

module.exports = { RegExps };
