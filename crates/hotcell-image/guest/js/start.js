// First: a place for the scripts to meet while the image is made, and a realm without what a cell does not have.
'use strict';

{
  // Engine extras that would let code observe or shape stack traces; with them SES prints `[object CallSite]`.
  delete Error.captureStackTrace;
  delete Error.prepareStackTrace;
  delete Error.stackTraceLimit;

  // `performance` is a clock; the other two are shared memory.
  delete globalThis.performance;
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;

  const native = globalThis.hotcellNative;
  delete globalThis.hotcellNative;
  // Services of the host's library, see library.rs.
  native.url = (...args) => native.library('url', ...args);
  native.tz = (...args) => native.library('tz', ...args);
  globalThis.hotcellBoot = {
    kit: { native },
    add(makeExports) {
      Object.assign(this.kit, makeExports(this.kit));
    },
  };

  // SES wraps the console it finds. Ours comes after lockdown.
  globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };
}
