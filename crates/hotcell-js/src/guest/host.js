// The way to the process.

const call = __js;
const later = __js_later;

/** Promises that the process waits for before it ends. */
const pending = new Set();

function waitFor(promise) {
  const settled = promise.finally(() => pending.delete(settled));
  pending.add(settled);
  return settled;
}

function pathOf(path) {
  if (path instanceof URL) path = decodeURIComponent(path.pathname);
  if (ArrayBuffer.isView(path)) path = new TextDecoder().decode(path);
  if (typeof path !== 'string') throw new TypeError(`a path has to be a string, not ${typeof path}`);
  return path;
}

/** What is written: a text, or bytes. */
function dataOf(data) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return String(data);
}

function encodingOf(options) {
  return typeof options === 'string' ? options : options?.encoding;
}

function isText(encoding) {
  if (encoding === undefined || encoding === null || encoding === 'buffer') return false;
  if (/^utf-?8$/i.test(encoding)) return true;
  throw new TypeError(`the encoding '${encoding}' is not supported: read bytes and use a TextDecoder`);
}

