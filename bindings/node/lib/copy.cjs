'use strict';

const { SnapshotBytes } = require('./native.cjs');

/** How many bytes are copied in one turn of the event loop. */
const PIECE = 1 << 20;

/** A copy that nobody changes. Snapshots may be large. */
async function copyOf({ buffer, byteOffset, byteLength }) {
  const copy = new SnapshotBytes();
  for (let at = 0; at < byteLength; at += PIECE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    copy.push(new Uint8Array(buffer, byteOffset + at, Math.min(PIECE, byteLength - at)));
  }
  return copy;
}

module.exports = { copyOf };
