'use strict';
// Node's end of the bridge: starts operations, and does what they ask for.
//
// Native code decides whether an operation begins on this thread or on its pool, and tells by a boolean: true means that it is
// up to us to let it go on. That it does in a job of its own, never within the call that starts it, so a tool is never called
// before `run` has returned.

const { AsyncResource } = require('node:async_hooks');
const { setImmediate } = require('node:timers');
const { Host } = require('./native.cjs');
const { ExecutorError } = require('./error.cjs');
const { unpack } = require('./unpack.cjs');

/** `pack.cjs`, once there is something to pack. */
let packing;

// The same numbers are in src/event.rs and src/outcome.rs.
const [CALL, LOG, APPROVAL, DONE] = [0, 1, 2, 3];
const [NOTHING, REPORT, BYTES, EXECUTOR, JSON_TEXT, FAILED, THREW] = [0, 1, 2, 3, 4, 5, 6];

/** Operations under way. */
const pending = new Map();
/**
 * What operations under way may call: sets of tools, hooks. Nothing native refers to functions of the host, and nothing
 * here does once the operation is over, so an executor that nobody holds is garbage, whatever its tools hold on to.
 */
const callable = new Map();
let lastId = 0;

// What the pool has to tell comes in a new turn of the event loop.
const host = new Host(() => {
  host.turn();
  goOn();
});

/** Whether native code has something to do on this thread. */
let isUpToUs = false;
let isGoingOn = false;
/** Whether native code will be told when this turn of the event loop is over. */
let willTurn = false;

/** Lets native code do what it has to do on this thread, and does what it asks for, until there is nothing left. */
function goOn() {
  if (isGoingOn) return;
  isGoingOn = true;
  try {
    do {
      isUpToUs = false;
      // What comes from the pool meanwhile wakes us again: timers and sockets get their turn first.
      for (const event of host.take()) safely(event);
    } while (isUpToUs);
  } finally {
    isGoingOn = false;
  }
  if (willTurn) return;
  willTurn = true;
  setImmediate(() => {
    willTurn = false;
    host.turn();
  });
}

function safely(event) {
  try {
    handle(event);
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
    if (start(id)) soon.then(goOn);
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
      return inContext(event[1], (hooks) => hooks.onLog(JSON.parse(event[2])));
    case APPROVAL:
      return approve(event);
    case DONE:
      return done(event);
  }
}

function done([, id, kind, content, pieces]) {
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
    resolve(result(kind, content, pieces));
  } catch (error) {
    reject(error);
  }
}

function result(kind, content, pieces) {
  switch (kind) {
    case NOTHING:
      return undefined;
    case REPORT:
      return report(JSON.parse(content), unpack(pieces));
    case BYTES:
    case EXECUTOR:
      return content;
    case JSON_TEXT:
      return JSON.parse(content);
    case FAILED:
      throw new ExecutorError(JSON.parse(content));
    case THREW:
      throw new Error(content);
  }
}

/** What came of a run, with its values put back into their places. */
function report({ logs, is_final_answer, entries, diagnostics, stats, calls, error }, values) {
  let at = 1;
  for (const call of calls) {
    if (call.arguments !== undefined) call.arguments = values.slice(at, (at += call.arguments));
  }
  return {
    output: values[0], logs, is_final_answer, entries, diagnostics, stats, calls,
    error: error ? new ExecutorError(error) : undefined,
  };
}

function call([, id, set, tool, pieces]) {
  respond(id, `the result of ${tool}`, () => inContext(set, (tools) => tools.call(tool, unpack(pieces))));
}

function approve([, id, hooks, tool, pieces]) {
  respond(id, 'the decision of onApproval', () => inContext(hooks, (hooks) => hooks.onApproval({ tool, arguments: unpack(pieces) })));
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
    packing.pack([value], [name], (row, text, bytes) => answered(host.answer(id, row, text, bytes)));
  } catch (error) {
    fail(id, error);
  }
}

function fail(id, error) {
  packing ??= require('./pack.cjs');
  packing.packThrown(error, (row, text, bytes) => answered(host.fail(id, row, text, bytes)));
}

module.exports = { host, newId, operate };
