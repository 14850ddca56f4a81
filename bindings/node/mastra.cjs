'use strict';
// A transport for Mastra's code mode: programs run in a sandbox of this process, and no workspace is needed.

const { SESExecutor, observation } = require('./index.cjs');
const { cleaned } = require('./namespaces.cjs');
const { warnings } = require('./warnings.cjs');

/** The time is the limit there, not the loops, and waiting for tools is free. */
const DEFAULTS = { maxOperations: Number.MAX_SAFE_INTEGER, pauseClockDuringTools: true };

class HotcellTransport {
  /** It is a sandbox itself. */
  requiresSandbox = false;
  #options;

  constructor(options = {}) {
    // A mistake in the options should show here and not in each result.
    new SESExecutor({ ...DEFAULTS, ...options });
    this.#options = { ...DEFAULTS, ...options };
  }

  async run({ program, toolIds, dispatch, timeout, abortSignal, onExternalCall, onExternalResult }) {
    const executor = new SESExecutor({ ...this.#options, ...(timeout === undefined ? {} : { timeoutMs: timeout }) });
    const call = (id) => async (args) => {
      onExternalCall?.(id, args);
      const began = Date.now();
      try {
        const result = await dispatch(id, args);
        onExternalResult?.(id, Date.now() - began);
        return result;
      } catch (error) {
        onExternalResult?.(id, Date.now() - began, error);
        throw error;
      }
    };
    try {
      await executor.init();
      await executor.sendTools(externals(toolIds, call));
      const { output, error, entries, diagnostics } = await executor.execute(String(program), { name: 'code-mode.ts', signal: abortSignal ?? undefined });
      const logs = entries.map(({ message }) => message);
      return error === undefined ? { success: true, result: output, logs: [...logs, ...warnings(diagnostics).map((text) => `warning: ${text}`)] } : { success: false, error: told(error), logs };
    } catch (error) {
      return { success: false, error: { name: error.name, message: error.message } };
    } finally {
      await executor.cleanup().catch(() => {});
    }
  }
}

/** Tools under the names that the instructions declare. */
function externals(toolIds, call) {
  const tools = {};
  for (const id of toolIds) {
    const name = `external_${cleaned(id)}`;
    if (Object.hasOwn(tools, name)) throw new TypeError(`two tools are called ${name} in code: give them other ids`);
    tools[name] = call(id);
  }
  return tools;
}

/** All that a model should read is in the message. */
function told({ code, message, details }) {
  const cause = details?.cause;
  const words = observation(Object.assign(new Error(message), { code, details }));
  const line = cause?.location?.line ?? details?.diagnostics?.[0]?.location?.line;
  return { name: cause?.name ?? code, message: words, ...(line === undefined ? {} : { line }) };
}

/** A transport for `createCodeMode(config, transport)`. */
function createTransport(options) {
  return new HotcellTransport(options);
}

module.exports = { HotcellTransport, createTransport };
