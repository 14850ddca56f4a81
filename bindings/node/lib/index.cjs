'use strict';
// The face of the package. What the first run of a process does not need is loaded when it is first used.

const native = require('./native.cjs');
const { ExecutorError } = require('./error.cjs');
const { SESExecutor } = require('./executor.cjs');

function fileTools(options) {
  return require('./files.cjs').fileTools(options);
}

function parseCode(answer, options) {
  return require('./texts.cjs').parseCode(answer, options);
}

function prepareProgram(code, options) {
  return require('./texts.cjs').prepareProgram(code, options);
}

function prepareProgramAsync(code, options) {
  return require('./texts.cjs').prepareProgramAsync(code, options);
}

function renderPrompt(context) {
  return require('./texts.cjs').renderPrompt(context);
}

function tool(fn, about) {
  return require('./tools.cjs').tool(fn, about);
}

function toolsFromSchemas(specs, handlers) {
  return require('./tools.cjs').toolsFromSchemas(specs, handlers);
}

function validateCode(code, options) {
  return require('./texts.cjs').validateCode(code, options);
}

function validateCodeAsync(code, options) {
  return require('./texts.cjs').validateCodeAsync(code, options);
}

module.exports = {
  ExecutorError,
  SESExecutor,
  buildId: native.buildId(),
  fileTools,
  parseCode,
  prepareProgram,
  prepareProgramAsync,
  renderPrompt,
  tool,
  toolsFromSchemas,
  validateCode,
  validateCodeAsync,
  version: native.version(),
};
