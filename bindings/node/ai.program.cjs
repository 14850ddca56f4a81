'use strict';
// A program under way: the calls of tools that it makes, and those of them that wait for somebody.

const { randomBytes } = require('node:crypto');
const { held } = require('./ai.continuation.cjs');
const { APPROVAL, Interruption, interruptOf } = require('./ai.interrupts.cjs');
const { suspend } = require('./index.cjs');

class Program {
  #tools;
  #outerToolCallId;
  #given;
  #ready;
  /** Calls without an answer, by the ids that the executor has for them. */
  #waiting = new Map();

  constructor({ tools, toolExecutionOptions, outerToolCallId, ready }) {
    this.#tools = tools;
    this.#outerToolCallId = outerToolCallId;
    this.#given = toolExecutionOptions;
    this.#ready = ready;
  }

  /** A tool as the program calls it, with an argument or without. */
  async call(toolName, args, { callId, signal }) {
    const [argument] = args;
    try {
      return await this.#use({ callId, toolName }, argument, signal);
    } catch (error) {
      if (error instanceof Interruption) return suspend();
      throw error;
    }
  }

  /** The interrupt of a program in which only calls that wait are left. */
  async interrupt(executor, calls) {
    const pending = calls.map(({ id, tool }) => {
      const record = this.#waiting.get(id);
      if (record === undefined) throw new TypeError(`${tool} answered suspend(): a tool in code mode asks with requestCodeModeInterrupt`);
      return record;
    });
    const snapshot = await executor.snapshot();
    const facts = { toolNames: Object.keys(this.#tools), outerToolCallId: this.#outerToolCallId, pending, decided: [], snapshot };
    const security = this.#ready.security();
    return interruptOf(held(facts, security), security);
  }

  /**
   * The answers to the calls in `pending` after what was decided on them: those that may are made now, all at once. Those that are
   * interrupted again have none.
   */
  async answers(executor, pending, decided, cancel) {
    const { calls } = await executor.suspension();
    const { abortSignal } = this.#given;
    const signal = abortSignal ?? new AbortController().signal;
    const argument = new Map(calls.map(({ id, arguments: [first] }) => [id, first]));
    const made = Promise.all(pending.map(async (record, at) => await this.#decide(record, argument.get(record.callId), decided[at], signal)));
    const results = await unlessAborted(made, signal, cancel);
    return Object.fromEntries(pending.map(({ callId }, at) => [callId, results[at]]).filter(([callId]) => !this.#waiting.has(callId)));
  }

  /** The answer to one call, which is an error where it fails; one that a tool returns counts as thrown, for no answer tells them apart. */
  async #decide({ interruptId, payload, ...record }, argument, decision, signal) {
    try {
      if (payload.kind !== APPROVAL) {
        return await this.#use(record, argument, signal, { interruptId, payload, resolution: decision });
      }
      if (!decision.approved) throw refused(record.toolName, decision.reason ?? 'it was not approved');
      return await this.#use({ ...record, approved: true }, argument, signal);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Calls a tool as the AI SDK does: with what its schema makes of the input, if it may be called. */
  async #use(record, argument, signal, codeModeInterrupt) {
    const { callId, toolName, approved } = record;
    const { mode, approve, maxToolInputBytes, maxToolOutputBytes } = this.#ready;
    const one = this.#tools[toolName];
    if (typeof one.execute !== 'function') throw new TypeError(`the tool ${toolName} has no function here`);
    // Whoever decides later sees JSON: that is what the tool gets then, and nothing else, and it is the same call.
    const { isJson = mode === 'interrupt', toolCallId = `${this.#outerToolCallId}:tool-${callId.split('.')[1]}` } = record;
    const what = `the input of ${toolName}`;
    const input = isJson ? plain(what, argument) : argument;
    limit(what, input, maxToolInputBytes);
    const options = this.#options(toolCallId, signal, codeModeInterrupt);
    let isApproved = approved;
    try {
      const value = await validated(one.inputSchema, input);
      const needed = !isApproved && (typeof one.needsApproval === 'function' ? await one.needsApproval(value, options) : one.needsApproval);
      if (needed) {
        if (mode === 'interrupt') throw new Interruption({ kind: APPROVAL });
        const decision = await approve?.({ toolName, input: value, toolCallId });
        isApproved = decision === 'approved' || decision?.approved === true;
        if (!isApproved) throw refused(toolName, decision?.reason ?? (approve === undefined ? 'it needs approval, and nobody is there to give it' : 'it was not approved'));
      }
      const output = await last(one.execute(value, options));
      limit(`the result of ${toolName}`, output, maxToolOutputBytes);
      this.#waiting.delete(callId);
      return output;
    } catch (error) {
      if (!(error instanceof Interruption)) throw error;
      // Nobody else's answer is to be taken for the one to this.
      const interruptId = `${toolCallId}:interrupt-${randomBytes(8).toString('hex')}`;
      const { payload } = error;
      this.#waiting.set(callId, { callId, interruptId, toolName, toolCallId, input: plain(what, input), payload, approved: isApproved, isJson });
      throw error;
    }
  }

  #options(toolCallId, abortSignal, codeModeInterrupt) {
    const { messages = [], experimental_context } = this.#given;
    const context = this.#given.context ?? experimental_context;
    return {
      toolCallId,
      messages,
      abortSignal,
      ...(context === undefined ? {} : { context, experimental_context: experimental_context ?? context }),
      ...(codeModeInterrupt === undefined ? {} : { codeModeInterrupt }),
    };
  }
}

/** What a tool gives, which may be the last of several things. */
async function last(output) {
  if (typeof output?.[Symbol.asyncIterator] !== 'function') return await output;
  let part;
  for await (part of output);
  return part;
}

function refused(toolName, reason) {
  return Object.assign(new Error(`${toolName} may not be called: ${reason}`), { name: 'PermissionDenied' });
}

/** A value as JSON has it. */
function plain(what, value) {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  } catch (error) {
    throw new TypeError(`${what} has to be JSON, for it is kept while somebody decides: ${error.message}`);
  }
}

function limit(what, value, bytes) {
  if (bytes === Infinity || value === undefined) return;
  const size = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (size > bytes) throw new RangeError(`${what} has ${size} bytes as JSON: at most ${bytes}`);
}

async function validated(schema, input) {
  const made = typeof schema === 'function' && !('~standard' in schema) ? schema() : schema;
  const standard = made?.['~standard'];
  if (typeof standard?.validate === 'function') {
    const { issues, value } = await standard.validate(input);
    if (issues !== undefined) throw new TypeError(`invalid input: ${issues.map(({ message }) => message).join('; ')}`);
    return value;
  }
  if (typeof made?.validate !== 'function') return input;
  const result = await made.validate(input);
  if (!result.success) throw result.error;
  return result.value;
}

/** Waits for it, but not longer than the signal lets it. */
async function unlessAborted(promise, signal, cancel) {
  let heard;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', (heard = resolve), { once: true }));
  try {
    if (!signal.aborted) await Promise.race([promise, aborted]);
    if (signal.aborted) await cancel();
    return await promise;
  } finally {
    signal.removeEventListener('abort', heard);
  }
}

module.exports = { Program, limit, plain };
