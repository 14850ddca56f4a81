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
const { ExecutorError, SandboxError } = require('./error.cjs');
const { assemble, eventOf } = require('./report.cjs');
const { unpack, unpackInSteps } = require('./unpack.cjs');

/** `pack.cjs`, once there is something to pack. */
let packing;

// The same numbers are in src/event.rs and src/outcome.rs.
const [CALL, LOG, APPROVAL, DONE, MORE, OUTPUT, COMMAND, NOTICE, HAPPENED, AUDIT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const [NOTHING, REPORT, BYTES, EXECUTOR, DATA, FAILED, THREW, RAN, SANDBOX, REFUSED] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** A tool that returns this has no answer yet: see `suspend` in index.d.cts. */
const SUSPEND = Object.freeze({ [Symbol.toStringTag]: 'hotcell.suspend' });

/** How much of a turn of the event loop is for all of this, functions of the host's that are called included. */
const TURN_MS = 4;

/** Operations under way. */
const pending = new Map();
/** How many of them keep the process alive. */
let awaited = 0;
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
  giveAnswers();
  if (isUpToUs || hasMore || slow.size > 0) goOn();
}

function dispatch(event) {
  if (event[0] === MORE) {
    hasMore = true;
    return;
  }
  const waiting = slow.size > 0 ? slow.get(event[1]) : undefined;
  if (waiting !== undefined) waiting.events.push(event);
  else if (isLarge(event)) slow.set(event[1] || {}, { steps: undefined, events: [event], at: 0 });
  else safely(() => handle(event));
}

function isLarge(event) {
  return event.some((part) => part instanceof Parcel);
}

/** Goes on with what is slow, one lane after the other, for as long as there is time. */
function step() {
  for (const [lane, waiting] of slow) {
    slow.delete(lane);
    if (!stepOf(waiting)) {
      // The others first next time.
      slow.set(lane, waiting);
      return;
    }
  }
}

/** Goes on with the events of one lane. False if there was no time for all. */
function stepOf(waiting) {
  for (; waiting.at < waiting.events.length; waiting.at++) {
    const event = waiting.events[waiting.at];
    if (isLarge(event)) waiting.steps ??= open(event);
    for (;;) {
      if (!hasTime()) return false;
      if (waiting.steps?.next().done ?? true) break;
    }
    waiting.steps = undefined;
    safely(() => handle(event));
  }
  return true;
}

/** Makes values of the parcel in an event. */
function* open(event) {
  const place = event.findIndex((part) => part instanceof Parcel);
  const opened = { values: [], odd: [], error: undefined };
  try {
    yield* unpackInSteps(event[place], opened.odd, opened.values);
  } catch (error) {
    // There are things that Node has no room for, such as a string of a gigabyte.
    opened.error = error;
  }
  event[place] = opened;
  if (event[0] !== DONE || event[3] !== REPORT) return;
  try {
    event[4] = yield* assembled(opened);
  } catch (error) {
    event.splice(3, 2, THREW, error.message);
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

/** What came of a run, in steps. */
function* assembled(part) {
  const odd = [];
  const values = [];
  try {
    valuesOf(part, odd, values);
  } catch (reason) {
    if (values.length === 0) throw reason;
    odd.push(`a value cannot be given to Node (${reason.message}), nor can those after it`);
  }
  return yield* assemble(values, odd);
}

/** What comes of steps that are taken all at once. */
function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
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
 * process alive, unless it is `idle`, and `held` callable. `context` is for the tools that it calls.
 */
function operate(held, start, context, idle = false) {
  return new Promise((resolve, reject) => {
    const id = newId();
    if (start(id)) {
      isUpToUs = true;
      soon.then(goOn);
    }
    if (!idle && awaited++ === 0) host.hold(true);
    const operation = { resolve, reject, held, context, idle, resource: new AsyncResource('hotcell') };
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
  return (target.resource ?? operation.resource).runInAsyncScope(work, undefined, target, operation);
}

/** What a tool may know of a call beside its arguments. */
class ToolContext {
  #call;
  tool;
  /** What `run` was given for its tools. */
  context;
  /** Tells calls apart: the id that answers and events have for it. */
  callId;
  /** Where the call stands in the trace that `start` was given. */
  traceparent;

  constructor(call, tool, context, callId, traceparent) {
    this.#call = call;
    this.tool = tool;
    this.context = context;
    this.callId = callId ?? `call-${call}`;
    this.traceparent = traceparent;
  }

  /** Fires when the run ends before the tool has answered. */
  get signal() {
    let controller = signals.get(this.#call);
    if (controller === undefined) {
      controller = new AbortController();
      // Whoever asks when the call is over finds it over.
      if (calls.has(this.#call)) signals.set(this.#call, controller);
      else controller.abort(new Error('the call is over'));
    }
    return controller.signal;
  }
}

/** Calls that have no answer yet. */
const calls = new Set();
/** Those of them whose tools want to know when nobody waits any more. */
const signals = new Map();

/** An operation is over: calls that it made may be, too. */
function abandon() {
  for (const call of host.cancelled([...signals.keys()])) {
    const controller = signals.get(call);
    signals.delete(call);
    calls.delete(call);
    safely(() => controller.abort(new Error('the run that called this tool is over')));
  }
}

function handle(event) {
  switch (event[0]) {
    case CALL:
      return call(event);
    case LOG:
      return log(event);
    case NOTICE:
      return notice(event);
    case HAPPENED:
      return happened(event);
    case APPROVAL:
      return approve(event);
    case OUTPUT:
      return output(event);
    case AUDIT:
      return audit(event);
    case COMMAND:
      return command(event);
    case DONE:
      return done(event);
  }
}

function done([, , id, kind, ...content]) {
  const operation = pending.get(id);
  const { resolve, reject, held, idle } = operation;
  pending.delete(id);
  if (!idle && --awaited === 0) host.hold(false);
  for (const { id } of held) {
    const users = callable.get(id);
    users.splice(users.indexOf(operation), 1);
    if (users.length === 0) callable.delete(id);
  }
  if (signals.size > 0) abandon();
  try {
    resolve(result(kind, ...content));
  } catch (error) {
    reject(error);
  }
}

function result(kind, content, ...more) {
  switch (kind) {
    case NOTHING:
      return undefined;
    case REPORT:
      return Array.isArray(content) ? finish(assembled(content)) : content;
    case BYTES:
    case EXECUTOR:
    case SANDBOX:
      return content;
    case DATA:
      return dataOf(content);
    case FAILED:
      throw new ExecutorError(dataOf(content));
    case THREW:
      throw new Error(content);
    case RAN:
      return [content, ...more];
    case REFUSED:
      throw new SandboxError(JSON.parse(content));
  }
}

function log([, , hooks, entries]) {
  inContext(hooks, (hooks) => {
    for (const entry of JSON.parse(entries)) safely(() => hooks.onLog(entry));
  });
}

function notice([, , hooks, text]) {
  inContext(hooks, (hooks) => hooks.onNotify(text));
}

function happened([, , hooks, events]) {
  inContext(hooks, (hooks) => {
    for (const event of JSON.parse(events)) safely(() => hooks.onEvent(eventOf(event)));
  });
}

function output([, , hooks, stream, bytes]) {
  inContext(hooks, (hooks) => hooks.onOutput(bytes, stream));
}

/**
 * Who hears of what is decided about sandboxes, by number. Events come also when no operation is under way, so these are not among
 * `callable`; they are held by their sandboxes, and not by this.
 */
const auditors = new Map();
const gone = new FinalizationRegistry((id) => auditors.delete(id));

/** `auditor` has a number, `onAudit` and a context to call it in. */
function listen(auditor) {
  auditors.set(auditor.id, new WeakRef(auditor));
  gone.register(auditor, auditor.id);
}

/** What there is to be told by now is told soon, also if nothing else keeps the process. */
function tellSoon() {
  soon.then(goOn);
}

function audit([, , id, event]) {
  const auditor = auditors.get(id)?.deref();
  auditor?.resource.runInAsyncScope(() => auditor.onAudit(JSON.parse(event)));
}

function command([, , id, set, name, native]) {
  respond(id, `the exit code of ${name}`, () => inContext(set, (commands) => commands.call(name, native)));
}

function call([, , id, set, tool, packed, callId, traceparent]) {
  respond(id, `the result of ${tool}`, () => {
    const odd = [];
    const values = valuesOf(packed, odd);
    if (odd.length > 0) throw new TypeError(`an argument of ${tool} cannot leave the sandbox: ${odd[0]}`);
    calls.add(id);
    return inContext(set, (tools, operation) => tools.call(tool, values, new ToolContext(id, tool, operation.context, callId, traceparent)));
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
        (value) => give(id, () => answer(id, name, value)),
        (error) => give(id, () => fail(id, error)),
      );
      return;
    }
  } catch (error) {
    fail(id, error);
    return;
  }
  answer(id, name, value);
}

/**
 * Answers of promises that were settled when there was no time for them. All that are settled in one turn come before the event
 * loop turns again, code decides how many there are, and to copy a large one takes a while.
 */
let answers = [];

/** Gives an answer now, or when there is time, after those that wait already. */
function give(id, work) {
  if (answers.length === 0 && hasTime()) work();
  else answers.push({ id, work });
  if (isUpToUs) goOn();
}

/** Gives answers that wait, for as long as there is time. */
function giveAnswers() {
  let given = 0;
  for (; given < answers.length && hasTime(); given++) {
    const { id, work } = answers[given];
    // Nobody may be waiting any more.
    if (host.cancelled([id]).length > 0) settled(id);
    else safely(work);
  }
  if (given > 0) answers = answers.slice(given);
}

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && typeof value.then === 'function';
}

/** Native code has an answer. */
function answered(isHere) {
  isUpToUs ||= isHere;
}

function answer(id, name, value) {
  settled(id);
  if (value === SUSPEND) return answered(host.suspend(id));
  try {
    packing ??= require('./pack.cjs');
    packing.pack([value], [name], (...pieces) => answered(host.answer(id, ...pieces)));
  } catch (error) {
    fail(id, error);
  }
}

/** A call has its answer. */
function settled(id) {
  calls.delete(id);
  if (signals.size > 0) signals.delete(id);
}

function fail(id, error) {
  settled(id);
  packing ??= require('./pack.cjs');
  packing.packThrown(error, (...pieces) => answered(host.fail(id, ...pieces)));
}

module.exports = { SUSPEND, host, listen, newId, operate, tellSoon };
