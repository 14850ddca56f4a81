'use strict';
// What needs no executor.

const native = require('./native.cjs');
const { host, operate } = require('./host.cjs');
const { complain, toJson } = require('./options.cjs');

/** Options of an executor as far as they are data. */
function dataOf({ onLog, onApproval, onNotify, ...rest } = {}) {
  if (typeof rest.store === 'object' && rest.store !== null) rest.store = true;
  return toJson(rest);
}

function validateCode(code, options) {
  return JSON.parse(complain(() => native.validateCode(String(code), dataOf(options))));
}

function prepareProgram(code, options) {
  return JSON.parse(complain(() => native.prepareProgram(String(code), dataOf(options))));
}

async function validateCodeAsync(code, options) {
  return await operate([], (id) => complain(() => host.validateCode(id, String(code), dataOf(options))));
}

async function prepareProgramAsync(code, options) {
  return await operate([], (id) => complain(() => host.prepareProgram(id, String(code), dataOf(options))));
}

function renderPrompt({ template, ...context } = {}) {
  return complain(() => native.renderPrompt(toJson(context), template));
}

/** The prompt for an executor with these options: what they say need not be said again. */
function promptOf(context, { authorizedImports, maxOperations, timeoutMs, cpuTimeMs, maxLogBytes, clock, random, timers }) {
  // A time may have a fraction, and a prompt has none.
  const whole = (time) => (typeof time === 'number' ? Math.ceil(time) : time);
  const limits = { maxOperations, timeoutMs: whole(timeoutMs), cpuTimeMs: whole(cpuTimeMs), maxLogBytes, ...context.limits };
  const granted = { clock: clock !== 'none', random: random !== 'none', timers: timers !== false };
  return renderPrompt({ authorizedImports, ...granted, ...context, limits });
}

function parseCode(answer, options = {}) {
  return JSON.parse(complain(() => native.parseCode(String(answer), toJson(options))));
}

/** What a model should read next: after what `run` or `execute` gave, or what `run` threw. */
function observation(report, options = {}) {
  if (typeof report !== 'object' || report === null) throw new TypeError('observation needs what a run gave, or its error');
  const json = toJson(options);
  const error = report instanceof Error ? report : report.error;
  if (error !== undefined && error !== null) {
    const { code = 'ERR_RUNTIME_EXCEPTION', message, details, logs, content } = error;
    return complain(() => native.observeError(JSON.stringify({ code, message: String(message), details, logs, content: brief(content) }), json));
  }
  const { output, logs, is_final_answer, diagnostics, content } = report;
  const rest = JSON.stringify({ logs, is_final_answer, diagnostics, content: brief(content) });
  const { pack } = require('./pack.cjs');
  return pack([output], ['output'], (...pieces) => complain(() => native.observeOutput(rest, json, ...pieces)));
}

/** What was shown, without its bytes: only how many there are is told. */
function brief(content) {
  if (!Array.isArray(content)) return undefined;
  return content.map(({ mime, text, data }) => (data instanceof Uint8Array ? { mime, bytes: data.length } : { mime, text, data }));
}

module.exports = { observation, parseCode, prepareProgram, prepareProgramAsync, promptOf, renderPrompt, validateCode, validateCodeAsync };
