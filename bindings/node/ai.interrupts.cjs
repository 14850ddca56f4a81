'use strict';
// Interrupts: what a program that waits for somebody gives in the place of a result.

const { isDeepStrictEqual } = require('node:util');
const { CodeModeProtocolError, seal, securityOf, unseal } = require('./ai.continuation.cjs');

const TYPE = 'code-mode-interrupt';
/** The payload of an interrupt because of a tool that needs approval: the same word as in the AI SDK. */
const APPROVAL = 'ai-sdk-code-mode/tool-approval';

/** Thrown through a tool: its call has no answer yet. */
class Interruption extends Error {
  constructor(payload) {
    super('a tool asked with requestCodeModeInterrupt for somebody to decide: that works where a program in code mode called it, and only if the tool does not catch this error');
    this.name = 'CodeModeInterruption';
    this.payload = payload;
  }
}

/** Ends a call of a tool for now: whoever goes on with the program brings what it asks for, and the tool is called again with that. */
function requestCodeModeInterrupt(payload) {
  if (!isRecord(payload)) throw new TypeError('requestCodeModeInterrupt needs an object, which is the payload of the interrupt');
  if (typeof payload.kind !== 'string' || payload.kind === '') throw new TypeError('the payload of an interrupt needs a kind, a text');
  if (payload.kind === APPROVAL) throw new TypeError(`an interrupt of the kind ${APPROVAL} is made where a tool has needsApproval`);
  throw new Interruption(JSON.parse(JSON.stringify(payload)));
}

/** The interrupt for the first of the calls that nobody has decided on. */
function interruptOf(program, security) {
  const { interruptId, toolName, toolCallId, input, payload } = program.pending[program.decided.length];
  const { outerToolCallId } = program;
  return { type: TYPE, interruptId, toolName, toolCallId, outerToolCallId, input, payload, continuation: seal(program, security) };
}

/** The program behind an interrupt, which has to say what its continuation says: that is what a person saw. */
function programOf(interrupt, security) {
  if (!isRecord(interrupt) || interrupt.type !== TYPE) throw new CodeModeProtocolError('malformed', `this is no interrupt: its type is not ${TYPE}`);
  const program = unseal(interrupt.continuation, security);
  const { interruptId, toolName, toolCallId, input, payload } = program.pending[program.decided.length];
  for (const [name, value] of Object.entries({ interruptId, toolName, toolCallId, outerToolCallId: program.outerToolCallId, input, payload })) {
    if (!isDeepStrictEqual(interrupt[name], value)) throw new CodeModeProtocolError('mismatch', `the interrupt was changed: its ${name} is not that of its continuation`, { name });
  }
  return program;
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it looks like one: enough where nothing depends on it. */
function seemsInterrupt(value) {
  return isRecord(value) && value.type === TYPE && isRecord(value.continuation) && typeof value.continuation.token === 'string';
}

function isCodeModeInterrupt(value, continuationSecurity) {
  const security = securityOf(continuationSecurity);
  if (!seemsInterrupt(value)) return false;
  try {
    programOf(value, security);
    return true;
  } catch {
    return false;
  }
}

function isCodeModeApprovalInterrupt(value, continuationSecurity) {
  return isCodeModeInterrupt(value, continuationSecurity) && value.payload.kind === APPROVAL;
}

/** The interrupt that a result is, or that one of its tools gave. */
function getCodeModeInterrupt(result, continuationSecurity) {
  const found = (value) => {
    const inner = isRecord(value) && value.type === 'json' ? value.value : value;
    return isCodeModeInterrupt(inner, continuationSecurity) ? inner : undefined;
  };
  const itself = found(result);
  if (itself !== undefined || !isRecord(result)) return itself;
  for (const parts of [result.toolResults, result.content]) {
    for (const part of Array.isArray(parts) ? parts : []) {
      const one = found(part?.output);
      if (one !== undefined) return one;
    }
  }
  return undefined;
}

function unwrapCodeModeResult(result, continuationSecurity) {
  const interrupt = getCodeModeInterrupt(result, continuationSecurity);
  return interrupt === undefined ? { status: 'completed', output: result } : { status: 'interrupted', interrupt };
}

/** The messages by which the AI SDK asks for approval. */
function toCodeModeApprovalMessages({ interruptId, toolCallId, toolName, input }) {
  const call = { type: 'tool-call', toolCallId, toolName, input };
  return [{ role: 'assistant', content: [call, { type: 'tool-approval-request', approvalId: interruptId, toolCallId }] }];
}

/** The last answer to that among messages. */
function getCodeModeApprovalResponse(messages, { interruptId }) {
  const parts = messages.flatMap(({ role, content }) => (role === 'tool' && Array.isArray(content) ? content : []));
  const response = parts.findLast((part) => part.type === 'tool-approval-response' && part.approvalId === interruptId && isDecision(part));
  if (response === undefined) return undefined;
  const { approved, reason } = response;
  return { approvalId: interruptId, approved, ...(reason === undefined ? {} : { reason }) };
}

function isDecision(value) {
  return isRecord(value) && typeof value.approved === 'boolean' && (value.reason === undefined || typeof value.reason === 'string');
}

module.exports = {
  APPROVAL,
  Interruption,
  getCodeModeApprovalResponse,
  getCodeModeInterrupt,
  interruptOf,
  isCodeModeApprovalInterrupt,
  isCodeModeInterrupt,
  isDecision,
  programOf,
  requestCodeModeInterrupt,
  seemsInterrupt,
  toCodeModeApprovalMessages,
  unwrapCodeModeResult,
};
