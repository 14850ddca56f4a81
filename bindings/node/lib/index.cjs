'use strict';
// The face of the package. What the first run of a process does not need is loaded when it is first used.

const native = require('./native.cjs');
const { ExecutorError, SandboxError } = require('./error.cjs');
const { SESExecutor } = require('./executor.cjs');

/** Loaded when one is made. */
function Files(options) {
  return new (require('./files.cjs').Files)(options);
}
Object.defineProperty(Files, Symbol.hasInstance, { value: (one) => one instanceof require('./files.cjs').Files });

function fileTools(options) {
  return require('./files.cjs').fileTools(options);
}

function observation(report, options) {
  return require('./texts.cjs').observation(report, options);
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

/** Loaded when one is made. */
class Sandbox {
  constructor(options) {
    return new (require('./sandbox.cjs').Sandbox)(options);
  }

  static async restore(snapshot, options) {
    return await require('./sandbox.cjs').Sandbox.restore(snapshot, options);
  }

  static [Symbol.hasInstance](one) {
    return one instanceof require('./sandbox.cjs').Sandbox;
  }
}

function suspend() {
  return require('./runs.cjs').suspend();
}

function approve() {
  return require('./runs.cjs').approve();
}

function deny(reason) {
  return require('./runs.cjs').deny(reason);
}

function inspectSnapshot(snapshot, options) {
  return require('./runs.cjs').inspectSnapshot(snapshot, options);
}

function suspending(about) {
  return require('./tools.cjs').suspending(about);
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
  Files,
  Sandbox,
  SandboxError,
  approve,
  buildId: native.buildId(),
  deny,
  fileTools,
  inspectSnapshot,
  observation,
  parseCode,
  prepareProgram,
  prepareProgramAsync,
  renderPrompt,
  suspend,
  suspending,
  tool,
  toolsFromSchemas,
  validateCode,
  validateCodeAsync,
  version: native.version(),
};
