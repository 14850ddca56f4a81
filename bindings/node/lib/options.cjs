'use strict';

/**
 * Options as JSON. What JSON cannot say becomes text, so that whoever reads it finds a wrong value and not none; what was not
 * given stays away.
 */
function toJson(options) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError('options must be an object');
  }
  return JSON.stringify(options, (key, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
    return value;
  });
}

/** Complains about options that there are not: whoever misspells one believes it is in force. */
function known(unknown, of, names) {
  const [first] = Object.keys(unknown);
  if (first !== undefined) throw new TypeError(`unknown option ${JSON.stringify(first)} of ${of}: the options are ${names.join(', ')}`);
}

/** Calls native code, whose complaints about arguments are the caller's mistakes. */
function complain(work) {
  try {
    return work();
  } catch (error) {
    if (error?.code === 'InvalidArg') throw new TypeError(error.message);
    throw error;
  }
}

module.exports = { complain, known, toJson };
