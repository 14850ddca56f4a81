'use strict';
// The native half of the package, for this platform. It lies beside the file that is made of these: see bundle.mjs.

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const file = join(__dirname, `hotcell.${process.platform}-${process.arch}.node`);
if (!existsSync(file)) {
  throw new Error(`hotcell has no native library for ${process.platform}-${process.arch}: run \`npm run build\` in the package`);
}
const native = require(file);
// What runs code with `isolation: "process"`. Without it such an executor says where it was looked for.
const worker = join(__dirname, `hotcell-worker.${process.platform}-${process.arch}`);
if (existsSync(worker)) {
  native.workersAre(worker);
}
module.exports = native;
