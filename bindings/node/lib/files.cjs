'use strict';

const { NativeFileTools } = require('./native.cjs');
const { host, operate } = require('./host.cjs');
const { complain } = require('./options.cjs');
const { builtin, spec } = require('./tools.cjs');

/**
 * The tools read, write, edit, grep, find and ls, and their aliases, for one directory and nothing outside of it. Sandboxes call
 * them without a detour over Node's thread; the host calls them as functions.
 */
function fileTools({ root, readOnly = false } = {}) {
  if (typeof root !== 'string') throw new TypeError('fileTools needs the root of the files, a path');
  const tools = complain(() => new NativeFileTools(root, Boolean(readOnly)));
  const all = {};
  for (const { name, aliases, description, parameters, returns, changes } of JSON.parse(NativeFileTools.list())) {
    // What would fail every time is better not offered.
    if (changes && readOnly) continue;
    for (const alias of [name, ...aliases]) {
      const fn = (...args) => operate([], (id) => tools.call(host, id, alias, JSON.stringify(args)));
      Object.defineProperty(fn, 'name', { value: alias, configurable: true });
      fn[spec] = { description, parameters, returns };
      fn[builtin] = { tools, tool: alias };
      all[alias] = fn;
    }
  }
  return all;
}

module.exports = { fileTools };
