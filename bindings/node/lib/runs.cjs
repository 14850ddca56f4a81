'use strict';
// Runs that wait for their host, and what happens in an executor.

const native = require('./native.cjs');
const { SUSPEND, host, operate } = require('./host.cjs');
const { eventOf } = require('./report.cjs');
const { copyOf } = require('./copy.cjs');
const { complain, toJson } = require('./options.cjs');

// The same numbers are in src/executor/runs.rs.
const [VALUE, ERROR, APPROVE, DENY] = [0, 1, 2, 3];

/** Says that a call may take place, or may not. */
class Decision {
  constructor(kind, reason) {
    this.kind = kind;
    this.reason = reason;
    Object.freeze(this);
  }
}

const approval = new Decision(APPROVE);

function suspend() {
  return SUSPEND;
}

function approve() {
  return approval;
}

function deny(reason) {
  if (typeof reason !== 'string') throw new TypeError('deny needs the reason, a text');
  return new Decision(DENY, reason);
}

/** What `resume` was given, as native code takes it: ids, what each answer is, and values. */
function sortOut(answers) {
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    throw new TypeError('resume needs an object: the answer to each call by its id');
  }
  const calls = Object.keys(answers);
  const kinds = [];
  const values = [];
  for (const call of calls) {
    const answer = answers[call];
    if (answer === SUSPEND) throw new TypeError(`answer to ${call}: suspend() is no answer, leave the call out`);
    if (answer instanceof Decision) {
      kinds.push(answer.kind);
      values.push(answer.reason);
    } else {
      kinds.push(answer instanceof Error ? ERROR : VALUE);
      values.push(answer);
    }
  }
  return { calls, kinds, values };
}

/** What happens in an executor: `for await (const event of executor.events())`. It keeps no process alive. */
class Events {
  #native;
  /** What was taken, and not given out. */
  #taken = [];
  /** Whether nobody reads any more. */
  #isClosed = false;
  /** The `next` before. */
  #last = Promise.resolve();

  constructor(events) {
    this.#native = events;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    const next = this.#last.then(() => this.#next());
    this.#last = next;
    return next;
  }

  async #next() {
    if (this.#isClosed) return { done: true, value: undefined };
    if (this.#taken.length === 0) {
      // What is there is taken at once: waiting keeps no process alive.
      const now = this.#native.take();
      const batch = now === null || now === undefined
        ? await operate([], (id) => this.#native.next(id), undefined, true)
        : JSON.parse(now);
      // The last comes first, so that each is taken from the end.
      this.#taken = batch.reverse();
    }
    const value = this.#taken.pop();
    return value === undefined ? { done: true, value } : { done: false, value: eventOf(value) };
  }

  async return(value) {
    this.#isClosed = true;
    this.#native.close();
    this.#taken = [];
    return { done: true, value };
  }
}

async function inspectSnapshot(snapshot, options) {
  if (!ArrayBuffer.isView(snapshot)) throw new TypeError('inspectSnapshot needs the bytes that snapshot() gave');
  const json = options === undefined ? undefined : toJson(options);
  const bytes = await copyOf(snapshot);
  return await operate([], (id) => complain(() => native.inspectSnapshot(host, id, bytes, json)));
}

module.exports = { Events, approve, deny, inspectSnapshot, sortOut, suspend };
