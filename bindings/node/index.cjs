'use strict';

const native = require('./lib/native.cjs');
const { ExecutorError } = require('./lib/error.cjs');
const { SESExecutor } = require('./lib/executor.cjs');
const { fileTools } = require('./lib/files.cjs');
const { parseCode, prepareProgram, renderPrompt, validateCode } = require('./lib/texts.cjs');
const { tool, toolsFromSchemas } = require('./lib/tools.cjs');

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
