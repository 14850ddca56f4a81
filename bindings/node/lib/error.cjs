'use strict';

/** Why a call of an executor failed, in the form that every front door of hotcell gives it. */
class ExecutorError extends Error {
  constructor({ code, severity, message, retryable, details, logs, entries, content }, options) {
    super(message, options);
    this.code = code;
    this.severity = severity;
    this.retryable = retryable;
    if (details !== undefined) this.details = details;
    if (logs !== undefined) this.logs = logs;
    // For who wants the levels and times; printing an error shows its logs once.
    Object.defineProperty(this, 'entries', { value: entries ?? [], configurable: true, writable: true });
    Object.defineProperty(this, 'content', { value: content ?? [], configurable: true, writable: true });
  }

  /** The error as plain data. */
  toJSON() {
    const { code, severity, message, retryable, details, logs } = this;
    return { code, severity, message, retryable, details, logs };
  }
}

Object.defineProperty(ExecutorError.prototype, 'name', { value: 'ExecutorError', configurable: true, writable: true });

/** Why a sandbox did not do what it was asked for. What goes wrong inside of a command is a result, never this. */
class SandboxError extends Error {
  constructor({ code, message, path }) {
    super(message);
    this.code = code;
    if (path !== undefined) this.path = path;
  }
}

Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError', configurable: true, writable: true });

module.exports = { ExecutorError, SandboxError };
