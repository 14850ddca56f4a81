'use strict';
// The face of the package. What the first run of a process does not need is loaded when it is first used: reading files is
// most of what `require` costs.

const native = require('./lib/native.cjs');
const { ExecutorError } = require('./lib/error.cjs');
const { SESExecutor } = require('./lib/executor.cjs');

function fileTools(options) {
  return require('./lib/files.cjs').fileTools(options);
}

function parseCode(answer, options) {
  return require('./lib/texts.cjs').parseCode(answer, options);
}

function prepareProgram(code, options) {
  return require('./lib/texts.cjs').prepareProgram(code, options);
}

function renderPrompt(context) {
  return require('./lib/texts.cjs').renderPrompt(context);
}

function tool(fn, about) {
  return require('./lib/tools.cjs').tool(fn, about);
}

function toolsFromSchemas(specs, handlers) {
  return require('./lib/tools.cjs').toolsFromSchemas(specs, handlers);
}

function validateCode(code, options) {
  return require('./lib/texts.cjs').validateCode(code, options);
}

module.exports = {
  ExecutorError,
  SESExecutor,
  buildId: native.buildId(),
  fileTools,
  parseCode,
  prepareProgram,
  renderPrompt,
  tool,
  toolsFromSchemas,
  validateCode,
  version: native.version(),
};
