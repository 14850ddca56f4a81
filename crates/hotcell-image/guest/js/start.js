// First: a place for the scripts to meet while the image is made, and a realm without what SES does not expect.
'use strict';

// Engine extras that would let code observe or shape stack traces; with them SES prints `[object CallSite]`.
delete Error.captureStackTrace;
delete Error.prepareStackTrace;
delete Error.stackTraceLimit;

// What a cell does not have. `performance` is a clock; the other two are shared memory.
delete globalThis.performance;
delete globalThis.SharedArrayBuffer;
delete globalThis.Atomics;

globalThis.hotcellBoot = {
  kit: { native: globalThis.hotcellNative },
  add(makeExports) {
    Object.assign(this.kit, makeExports(this.kit));
  },
};
delete globalThis.hotcellNative;

// SES wraps the console it finds. Ours comes after lockdown.
globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };
