// Makes two files of lib/: finding and reading files, and reading functions that are not called, is most of what loading a
// package costs. The first file has what the first run of a process needs, the second all the rest.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a file requires while it is loaded, and not only when one of its functions is called. */
const AT_ONCE = /^(?:const|module).*\brequire\('(\.\/[^']+)'\)/gm;

/** CommonJS modules: one that exports what `index.cjs` of the directory `lib` does, and one that it loads for the rest. */
export function bundle(lib) {
  const texts = new Map();
  for (const file of readdirSync(lib).sort()) texts.set(`./${file}`, readFileSync(join(lib, file), 'utf8'));

  const first = new Set(['./index.cjs']);
  for (const id of first) for (const [, needed] of texts.get(id).matchAll(AT_ONCE)) first.add(needed);
  const rest = [...texts.keys()].filter((id) => !first.has(id));

  const functions = (ids) =>
    ids.map((id) => `  '${id}': function (module, exports, require, __dirname) {\n${texts.get(id)}  },\n`).join('');
  const index = `'use strict';
// Made of lib/ by bundle.mjs.

const modules = {
${functions([...first])}};
const loaded = new Map();

function load(id) {
  if (!id.startsWith('./')) return require(id);
  let module = loaded.get(id);
  if (module === undefined) {
    const fill = modules[id] ?? require('./later.cjs')[id];
    module = { exports: {} };
    loaded.set(id, module);
    fill(module, module.exports, load, __dirname);
  }
  return module.exports;
}

module.exports = load('./index.cjs');
`;
  const later = `'use strict';
// Made of lib/ by bundle.mjs: what index.cjs needs only now and then.

module.exports = {
${functions(rest)}};
`;
  return { index, later };
}
