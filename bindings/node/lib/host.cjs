'use strict';
// Node's end of the bridge: starts operations, and does what they ask for.
//
// Native code decides whether an operation begins on this thread or on its pool, and tells by a boolean: true means that it is
// up to us to let it go on. That it does in a job of its own, never within the call that starts it, so a tool is never called
// before `run` has returned.
//
// However much there is to do, the event loop turns: all of this gets a few milliseconds of each turn, and goes on in the next.

const { AsyncResource } = require('node:async_hooks');
const { setImmediate } = require('node:timers');
const { Host, Parcel } = require('./native.cjs');
const { ExecutorError } = require('./error.cjs');
const { unpack, unpackInSteps } = require('./unpack.cjs');

/** `pack.cjs`, once there is something to pack. */
let packing;

// The same numbers are in src/event.rs and src/outcome.rs.
const [CALL, LOG, APPROVAL, DONE, MORE] = [0, 1, 2, 3, 4];
const [NOTHING, REPORT, BYTES, EXECUTOR, DATA, FAILED, THREW] = [0, 1, 2, 3, 4, 5, 6];

/** How much of a turn of the event loop is for all of this, functions of the host's that are called included. */
const TURN_MS = 4;

/** Operations under way. */
const pending = new Map();
/**
 * What operations under way may call: sets of tools, hooks. Nothing native refers to functions of the host, and nothing
 * here does once the operation is over, so an executor that nobody holds is garbage, whatever its tools hold on to.
 */
const callable = new Map();
let lastId = 0;

// What the pool has to tell comes in a new turn of the event loop, more or less: Node calls this again and again before it
// lets the loop turn, if there is enough to tell.
const host = new Host(() => {
  hasMore = true;
  host.turn();
  goOn();
});

/** Whether native code has something to do on this thread. */
let isUpToUs = false;
/** Whether it has something to tell. */
let hasMore = false;
let isGoingOn = false;
/** When this turn of the event loop has had its time; 0 before it begins. */
let until = 0;
/**
 * Events that are too large for one turn, by the lanes that they are of, with what is left to do for each and the events
 * that wait behind it.
 */
const slow = new Map();

/** Lets native code do what it has to do on this thread, and does what it asks for, until there is nothing left. */
function goOn() {
  if (isGoingOn) return;
  isGoingOn = true;
  try {
    while (hasTime()) {
      isUpToUs = false;
      hasMore = false;
      // What comes from the pool meanwhile wakes us again: timers and sockets get their turn first.
      for (const event of host.take()) dispatch(event);
      if (slow.size > 0) step();
      if (!isUpToUs && !hasMore) break;
    }
  } finally {
    isGoingOn = false;
  }
}

/** Whether this turn of the event loop has time for us. If not, the next one will go on. */
function hasTime() {
  const [seconds, nanoseconds] = process.hrtime();
  const now = seconds * 1e3 + nanoseconds / 1e6;
  if (until === 0) {
    until = now + TURN_MS;
    setImmediate(turn);
  }
  return now < until;
}

/** The event loop has turned. */
function turn() {
  until = 0;
  host.turn();
  if (isUpToUs || hasMore || slow.size > 0) goOn();
}

function dispatch(event) {
  if (event[0] === MORE) {
    hasMore = true;
    return;
  }
  const waiting = slow.size > 0 ? slow.get(event[1]) : undefined;
  if (waiting !== undefined) waiting.events.push(event);
  else if (event.some((part) => part instanceof Parcel)) slow.set(event[1] || {}, { steps: open(event), events: [event] });
  else safely(() => handle(event));
}

/** Makes values of the parcels in an event. */
function* open(event) {
  for (let i = 0; i < event.length; i++) {
    if (!(event[i] instanceof Parcel)) continue;
    const opened = { values: [], odd: [], error: undefined };
    try {
      yield* unpackInSteps(event[i], opened.odd, opened.values);
    } catch (error) {
      // There are things that Node has no room for, such as a string of a gigabyte.
      opened.error = error;
    }
    event[i] = opened;
  }
  const [kind, , , outcome, report, packed] = event;
  if (kind === DONE && outcome === REPORT && typeof report !== 'string') {
    const [logs = ''] = Array.isArray(packed) ? unpack(packed, [], []) : packed.values;
    yield* lines(dataOf(report).entries, logs);
  }
}

/** Goes on with what is slow, one after the other, for as long as there is time. */
function step() {
  for (const [lane, one] of slow) {
    while (!one.steps.next().done) {
      if (hasTime()) continue;
      // The others first next time.
      slow.delete(lane);
      slow.set(lane, one);
      return;
    }
    slow.delete(lane);
    const [opened, ...events] = one.events;
    safely(() => handle(opened));
    for (const event of events) dispatch(event);
  }
}

/**
 * Puts the values that a part of an event stands for into `values`. What Node cannot make of them is told in `odd`; if one is
 * missing altogether, this throws, and those before it are there.
 */
function valuesOf(part, odd, values = []) {
  if (Array.isArray(part)) return unpack(part, odd, values);
  for (const one of part.odd) odd.push(one);
  for (const one of part.values) values.push(one);
  if (part.error !== undefined) throw part.error;
  return values;
}

/** What a part of an event says: JSON, or something large that JSON could say. */
function dataOf(part) {
  return typeof part === 'string' ? JSON.parse(part) : valuesOf(part, [])[0];
}

function safely(work) {
  try {
    work();
  } catch (error) {
    // A hook of the host's threw. That is nobody's to catch here, and must not keep the others waiting.
    process.nextTick(() => {
      throw error;
    });
  }
}

function newId() {
  lastId = (lastId % 0xffff_ffff) + 1;
  return lastId;
}

const soon = Promise.resolve();

/**
 * Starts an operation and promises its end. `start` gets the number to start it under. While it is under way it keeps the
 * process alive, and `held` callable.
 */
function operate(held, start) {
  return new Promise((resolve, reject) => {
    const id = newId();
    if (start(id)) {
      isUpToUs = true;
      soon.then(goOn);
    }
    if (pending.size === 0) host.hold(true);
    const operation = { resolve, reject, held, resource: new AsyncResource('hotcell') };
    pending.set(id, operation);
    for (const { id } of held) {
      const users = callable.get(id);
      if (users) users.push(operation);
      else callable.set(id, [operation]);
    }
  });
}

/**
 * Does something with what is callable under this number, in its own context (`AsyncLocalStorage`) or in that of whoever
 * started the operation that calls it: of those that may, the one that was started first is the one under way.
 */
function inContext(id, work) {
  const operation = callable.get(id)?.[0];
  if (operation === undefined) throw new Error('the run that called this is over');
  const target = operation.held.find((one) => one.id === id);
  return (target.resource ?? operation.resource).runInAsyncScope(work, undefined, target);
}

function handle(event) {
  switch (event[0]) {
    case CALL:
      return call(event);
    case LOG:
      return log(event);
    case APPROVAL:
      return approve(event);
    case DONE:
      return done(event);
  }
}

function done([, , id, kind, content, values]) {
  const operation = pending.get(id);
  const { resolve, reject, held } = operation;
  pending.delete(id);
  if (pending.size === 0) host.hold(false);
  for (const { id } of held) {
    const users = callable.get(id);
    users.splice(users.indexOf(operation), 1);
    if (users.length === 0) callable.delete(id);
  }
  try {
    resolve(result(kind, content, values));
  } catch (error) {
    reject(error);
  }
}

function result(kind, content, values) {
  switch (kind) {
    case NOTHING:
      return undefined;
    case REPORT:
      return report(dataOf(content), values);
    case BYTES:
    case EXECUTOR:
      return content;
    case DATA:
      return dataOf(content);
    case FAILED:
      throw new ExecutorError(dataOf(content));
    case THREW:
      throw new Error(content);
  }
}

/** What came of a run, with its values put back into their places: the logs, the output, then the arguments of calls. */
function report({ is_final_answer, entries, diagnostics, stats, calls, error }, packed) {
  const odd = [];
  const values = [];
  try {
    valuesOf(packed, odd, values);
  } catch (reason) {
    odd.push(`a value cannot be given to Node (${reason.message}), nor can those after it`);
  }
  const [logs = '', output] = values;
  let at = 2;
  for (const call of calls) {
    if (call.arguments !== undefined) call.arguments = values.slice(at, (at += call.arguments));
  }
  for (const message of odd.slice(0, MAX_ODD)) diagnostics.push(notMade(message));
  for (const step of lines(entries, logs)) void step;
  return {
    output, logs, is_final_answer, entries, diagnostics, stats, calls,
    error: error ? new ExecutorError({ ...error, logs, entries }) : undefined,
  };
}

/** Gives each entry of a log its message, which is a part of the whole. Yields between steps. */
function* lines(entries, logs) {
  let at = 0;
  for (let i = 0; i < entries.length; i++) {
    const { level, ts, length } = entries[i];
    // They have been here before.
    if (length === undefined) return;
    entries[i] = { level, message: logs.slice(at, at + length), ts };
    at += length + 1;
    if (i % 1000 === 999) yield;
  }
}

/** One of a kind is enough to know what is wrong. */
const MAX_ODD = 5;

function notMade(message) {
  return {
    rule: 'result_not_cloneable',
    severity: 'WARNING',
    message: `${message}: its printed form stands in its place`,
    fix: 'return plain data: numbers, strings, arrays, objects',
  };
}

function log([, , hooks, entries]) {
  inContext(hooks, (hooks) => {
    for (const entry of JSON.parse(entries)) safely(() => hooks.onLog(entry));
  });
}

function call([, , id, set, tool, packed]) {
  respond(id, `the result of ${tool}`, () => {
    const odd = [];
    const values = valuesOf(packed, odd);
    if (odd.length > 0) throw new TypeError(`an argument of ${tool} cannot leave the sandbox: ${odd[0]}`);
    return inContext(set, (tools) => tools.call(tool, values));
  });
}

function approve([, , id, hooks, tool, packed]) {
  respond(id, 'the decision of onApproval', () => {
    const request = { tool, arguments: valuesOf(packed, []) };
    return inContext(hooks, (hooks) => hooks.onApproval(request));
  });
}

/** Calls a function of the host's and answers with what it gives: a value at once, or a promise's when it is settled. */
function respond(id, name, work) {
  let value;
  try {
    value = work();
    if (isThenable(value)) {
      answered(host.later(id));
      Promise.resolve(value).then(
        (value) => {
          answer(id, name, value);
          if (isUpToUs) goOn();
        },
        (error) => {
          fail(id, error);
          if (isUpToUs) goOn();
        },
      );
      return;
    }
  } catch (error) {
    fail(id, error);
    return;
  }
  answer(id, name, value);
}

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && typeof value.then === 'function';
}

/** Native code has an answer. */
function answered(isHere) {
  isUpToUs ||= isHere;
}

function answer(id, name, value) {
  try {
    packing ??= require('./pack.cjs');
    packing.pack([value], [name], (...pieces) => answered(host.answer(id, ...pieces)));
  } catch (error) {
    fail(id, error);
  }
}

function fail(id, error) {
  packing ??= require('./pack.cjs');
  packing.packThrown(error, (...pieces) => answered(host.fail(id, ...pieces)));
}

module.exports = { host, newId, operate };
