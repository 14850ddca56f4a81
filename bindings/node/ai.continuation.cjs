'use strict';
// A program that waits for somebody, as a text that only who has the key can read, change or go on with, for a time and once.

const { createCipheriv, createDecipheriv, hkdfSync, randomBytes } = require('node:crypto');

const VERSION = 1;
const MAX_AGE_MS = 60 * 60 * 1000;
/** As many bytes as a `snapshotKey` has at least. */
const LEAST_KEY_BYTES = 16;
const SALT_BYTES = 32;
const TAG_BYTES = 16;

/** A continuation that is not what it should be, or an answer that does not belong to it. Nothing has run. */
class CodeModeProtocolError extends Error {
  code = 'CODE_MODE_PROTOCOL_ERROR';

  constructor(reason, message, details) {
    super(message);
    this.name = 'CodeModeProtocolError';
    this.reason = reason;
    this.details = details;
  }
}

/** What counts where no key is given: it dies with the process. */
let inherited = { key: randomBytes(32), maxAgeMs: MAX_AGE_MS };

function setCodeModeContinuationSigningKey(key, { maxAgeMs = MAX_AGE_MS, ...unknown } = {}) {
  refuse(unknown, 'setCodeModeContinuationSigningKey', ['maxAgeMs']);
  inherited = { key: key === undefined ? randomBytes(32) : keyOf(key), maxAgeMs: ageOf(maxAgeMs) };
}

/** `continuationSecurity` as it counts now. */
function securityOf(given = {}) {
  const { signingKey, maxAgeMs, claim, ...unknown } = given;
  refuse(unknown, 'continuationSecurity', ['signingKey', 'maxAgeMs', 'claim']);
  if (claim !== undefined && typeof claim !== 'function') throw new TypeError('continuationSecurity.claim must be a function');
  return {
    key: signingKey === undefined ? inherited.key : keyOf(signingKey),
    maxAgeMs: maxAgeMs === undefined ? inherited.maxAgeMs : ageOf(maxAgeMs),
    claim,
  };
}

function refuse(unknown, what, names) {
  const [first] = Object.keys(unknown);
  if (first !== undefined) throw new TypeError(`unknown option ${JSON.stringify(first)} of ${what}: the options are ${names.join(', ')}`);
}

function keyOf(given) {
  if (typeof given !== 'string' && !(given instanceof Uint8Array)) throw new TypeError('the signing key of continuations must be a text or a Uint8Array');
  const key = Buffer.from(given);
  if (key.length < LEAST_KEY_BYTES) throw new TypeError(`the signing key of continuations must have at least ${LEAST_KEY_BYTES} bytes that are hard to guess`);
  return key;
}

function ageOf(given) {
  if (!Number.isSafeInteger(given) || given < 1 || !Number.isSafeInteger(Date.now() + given)) {
    throw new TypeError(`maxAgeMs is ${given}: it must be a whole number of at least 1`);
  }
  return given;
}

/** Begins to hold a suspended program: from now on it can be gone on with, for so long. */
function held(rest, { maxAgeMs }) {
  return { ...rest, id: randomBytes(16).toString('hex'), expiresAtMs: Date.now() + maxAgeMs };
}

/** The cipher of one continuation: each has a key of its own, so that their number is not limited. */
function cipher(make, { key }, salt, expiresAtMs) {
  const material = Buffer.from(hkdfSync('sha256', key, salt, 'hotcell/ai continuation', 32 + 12));
  return make('aes-256-gcm', material.subarray(0, 32), material.subarray(32)).setAAD(Buffer.from(`${VERSION} ${expiresAtMs}`));
}

/** A program that is held, for keeping. It is enciphered, for it may come by people who should not see what the program saw. */
function seal({ snapshot, expiresAtMs, ...facts }, security) {
  const salt = randomBytes(SALT_BYTES);
  const header = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const one = cipher(createCipheriv, security, salt, expiresAtMs);
  const body = [one.update(length), one.update(header), one.update(snapshot), one.final()];
  return { version: VERSION, expiresAtMs, token: Buffer.concat([salt, one.getAuthTag(), ...body]).toString('base64url') };
}

/** The program in a continuation, if it is as it was made and its time is not over. */
function unseal(continuation, security) {
  const { version, expiresAtMs, token } = Object(continuation);
  if (version !== VERSION || !Number.isSafeInteger(expiresAtMs) || typeof token !== 'string') {
    throw new CodeModeProtocolError('malformed', 'this is no continuation of a program in code mode: give the interrupt as it was returned');
  }
  const bytes = Buffer.from(token, 'base64url');
  const start = SALT_BYTES + TAG_BYTES;
  let plain;
  try {
    const one = cipher(createDecipheriv, security, bytes.subarray(0, SALT_BYTES), expiresAtMs).setAuthTag(bytes.subarray(SALT_BYTES, start));
    plain = Buffer.concat([one.update(bytes.subarray(start)), one.final()]);
  } catch {
    throw new CodeModeProtocolError('signature', 'the continuation was changed, or made with another key: give the interrupt as it was returned, and the same continuationSecurity.signingKey in each process');
  }
  const end = 4 + plain.readUInt32LE();
  if (expiresAtMs <= Date.now()) {
    throw new CodeModeProtocolError('expired', 'the time of the continuation is over (continuationSecurity.maxAgeMs): the program has to be run again', { expiresAtMs });
  }
  return { ...JSON.parse(plain.toString('utf8', 4, end)), snapshot: plain.subarray(end), expiresAtMs };
}

/** The continuations that were used here, with the times at which they are no good in any case. */
const used = new Map();
/** With so many the old ones are looked for. */
let crowded = 1000;

function isFirst(id, expiresAtMs) {
  if (used.has(id)) return false;
  if (used.size >= crowded) {
    const now = Date.now();
    for (const [old, end] of used) if (end <= now) used.delete(old);
    crowded = Math.max(1000, used.size * 2);
  }
  used.set(id, expiresAtMs);
  return true;
}

/** Makes a continuation this caller's, or fails: a program goes on once. */
async function claim({ id, expiresAtMs }, security) {
  const isOurs = security.claim === undefined ? isFirst(id, expiresAtMs) : await security.claim({ id, expiresAtMs });
  if (isOurs !== true) throw new CodeModeProtocolError('used', 'somebody has gone on with this continuation already: a program goes on once', { id });
}

module.exports = { CodeModeProtocolError, claim, held, refuse, seal, securityOf, setCodeModeContinuationSigningKey, unseal };
