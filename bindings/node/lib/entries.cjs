'use strict';
// The keys of a Map or a Set from a sandbox on their way into Node's.
//
// V8 hashes numbers and BigInts without a secret, so keys can be made that all fall together, and then each takes as long as
// there are keys before it. Which those are depends on the version of V8; how long they take does not. A pause of the process
// or of its memory makes a few groups of them slow, colliding keys make many. All of one message are counted together: what
// many small ones take is what one large one takes.

/** So many are put in at once. */
const GROUP = 64;
/** What V8 takes for a group at most, in milliseconds, if nothing is wrong: a key usually takes a tenth of a microsecond. */
const USUAL_MS = GROUP * 0.001;
/** What one group can add to the time that was lost: a pause may be long, and is none of the keys' doing. */
const MOST_LOST_MS = 1;
/** When so much time was lost, the keys collide. */
const COLLIDING_MS = 50;
/** And so much for each key: the more there are, the more pauses fall among them. */
const COLLIDING_KEY_MS = 0.00025;

/** What was lost in all the Maps and Sets of one message. */
class Collisions {
  #lost = 0;
  #keys = 0;

  /** A group of so many keys lost so much. True if that is too much. */
  add(keys, lost) {
    this.#keys += keys;
    if (lost <= 0) return false;
    this.#lost += Math.min(lost, MOST_LOST_MS);
    return this.#lost > COLLIDING_MS + this.#keys * COLLIDING_KEY_MS;
  }
}

class Entries {
  /** Whether the keys collide. */
  isGivenUp = false;
  #keys = [];
  #values = [];
  #collisions;
  #put;

  constructor(put, collisions) {
    this.#put = put;
    this.#collisions = collisions;
  }

  /** True if that took so long that somebody else should have a turn. */
  add(key, value) {
    if (this.isGivenUp) return false;
    this.#keys.push(key);
    this.#values.push(value);
    return this.#keys.length === GROUP && this.end();
  }

  /** Puts in what is left. */
  end() {
    const began = performance.now();
    for (let i = 0; i < this.#keys.length; i++) this.#put(this.#keys[i], this.#values[i]);
    const lost = performance.now() - began - USUAL_MS;
    if (this.#collisions.add(this.#keys.length, lost)) this.isGivenUp = true;
    this.#keys = [];
    this.#values = [];
    return lost > 0;
  }
}

module.exports = { Collisions, Entries };
