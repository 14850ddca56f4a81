'use strict';
// What needs no executor.

const native = require('./native.cjs');
const { host, operate } = require('./host.cjs');
const { complain, toJson } = require('./options.cjs');

/** Options of an executor as far as they are data. */
function dataOf({ onLog, onApproval, ...rest } = {}) {
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
function promptOf(context, { authorizedImports, maxOperations, timeoutMs, maxLogBytes, clock, random }) {
  const limits = { maxOperations, timeoutMs, maxLogBytes, ...context.limits };
  return renderPrompt({ authorizedImports, clock: clock !== 'none', random: random !== 'none', ...context, limits });
}

function parseCode(answer, options = {}) {
  return JSON.parse(complain(() => native.parseCode(String(answer), toJson(options))));
}

module.exports = { parseCode, prepareProgram, prepareProgramAsync, promptOf, renderPrompt, validateCode, validateCodeAsync };
