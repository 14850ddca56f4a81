'use strict';
// The native half of the package, for this platform. It lies beside the file that is made of these: see bundle.mjs.

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const file = join(__dirname, `hotcell.${process.platform}-${process.arch}.node`);
if (!existsSync(file)) {
  throw new Error(`hotcell has no native library for ${process.platform}-${process.arch}: run \`npm run build\` in the package`);
}
module.exports = require(file);
