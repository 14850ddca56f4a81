'use strict';
// What came of a run. The other half is in src/executor/report.rs.

const { ExecutorError } = require('./error.cjs');

/** So many lines or calls are one step. */
const STEP = 1000;
/** One of a kind is enough to know what is wrong. */
const MAX_ODD = 5;

/**
 * The report in `values`: it comes first, then the logs, the output, and the arguments of calls. `odd` tells what Node could not
 * make of them. Yields between steps, and returns the report.
 */
function* assemble(values, odd) {
  const [{ is_final_answer, lines, content, diagnostics, stats, calls, texts, error, status, waiting, id }, logs = '', output] = values;
  const entries = yield* entriesOf(lines, texts, logs);
  const records = yield* recordsOf(calls, texts, values);
  if (status === 'running') return { status, id, logs, entries, content, made: records };
  if (status === 'suspended') return { status, calls: waitingOf(waiting, texts, values), made: records, logs, entries, content, stats };
  for (const message of odd.slice(0, MAX_ODD)) diagnostics.push(notMade(message));
  return {
    ...(status && { status }),
    output, logs, is_final_answer, entries, content, diagnostics, stats, calls: records,
    error: error ? new ExecutorError({ ...error, logs, entries, content }) : undefined,
  };
}

/** What each line says is a part of the logs, which are all lines with a line break between each two. */
function* entriesOf(lines, texts, logs) {
  const entries = [];
  for (let i = 0, at = 0; i < lines.length; i += 3) {
    const end = at + lines[i + 2];
    entries.push({ level: texts[lines[i]], message: logs.slice(at, end), ts: texts[lines[i + 1]] });
    at = end + 1;
    if (entries.length % STEP === 0) yield;
  }
  return entries;
}

function* recordsOf(calls, texts, values) {
  const records = [];
  let at = 3;
  for (let i = 0; i < calls.length; i += 5) {
    const [count, message] = [calls[i + 2], calls[i + 4]];
    const record = { tool: texts[calls[i]] };
    if (count >= 0) record.arguments = values.slice(at, (at += count));
    record.durationMs = calls[i + 1];
    record.outcome = texts[calls[i + 3]];
    if (message >= 0) record.message = texts[message];
    records.push(record);
    if (records.length % STEP === 0) yield;
  }
  return records;
}

/** The calls that wait. Their arguments are the last of the values. */
function waitingOf(waiting, texts, values) {
  const calls = [];
  let at = values.length;
  for (let i = 0; i < waiting.length; i += 4) at -= waiting[i + 2];
  for (let i = 0; i < waiting.length; i += 4) {
    const args = values.slice(at, (at += waiting[i + 2]));
    calls.push({ id: texts[waiting[i]], tool: texts[waiting[i + 1]], arguments: args, reason: texts[waiting[i + 3]] });
  }
  return calls;
}

function notMade(message) {
  return {
    rule: 'result_not_cloneable',
    severity: 'WARNING',
    message: `${message}: its printed form stands in its place`,
    fix: 'return plain data: numbers, strings, arrays, objects',
  };
}

/** An event as it came from JSON, where bytes are base64. */
function eventOf(event) {
  if (event.type === 'content' && event.data !== undefined) event.data = new Uint8Array(Buffer.from(event.data, 'base64'));
  return event;
}

module.exports = { assemble, eventOf };
