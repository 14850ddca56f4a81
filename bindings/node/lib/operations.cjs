'use strict';
// What a packed value is made of; the same table is in src/packed.rs, with what follows each operation.

exports.UNDEFINED = 0;
exports.NULL = 1;
exports.FALSE = 2;
exports.TRUE = 3;
exports.NUMBER = 4;
exports.STRING = 5;
exports.BIGINT = 6;
exports.ARRAY = 7;
exports.HOLES = 8;
exports.OBJECT = 9;
exports.DATE = 10;
exports.REGEXP = 11;
exports.MAP = 12;
exports.SET = 13;
exports.BUFFER = 14;
exports.VIEW = 15;
exports.ERROR = 16;
exports.BOXED = 17;
exports.REFERENCE = 18;

/** The number of each kind of view. */
exports.VIEWS = new Map([
  ['Uint8ClampedArray', 0],
  ['Int8Array', 1],
  ['Uint8Array', 2],
  ['Int16Array', 3],
  ['Uint16Array', 4],
  ['Int32Array', 5],
  ['Uint32Array', 6],
  ['BigInt64Array', 7],
  ['BigUint64Array', 8],
  ['Float16Array', 9],
  ['Float32Array', 10],
  ['Float64Array', 11],
  ['DataView', 255],
]);
