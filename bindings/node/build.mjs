// Builds the native library and puts it where lib/native.cjs looks for it, and makes index.cjs and later.cjs of lib/.
// `node build.mjs --copy` only copies what cargo has built.

import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const workspace = join(here, '..', '..');
const cargo = process.env.CARGO ?? 'cargo';

if (!process.argv.includes('--copy')) {
  execFileSync(cargo, ['build', '--release', '-p', 'hotcell-node'], { cwd: workspace, stdio: 'inherit' });
}
const metadata = execFileSync(cargo, ['metadata', '--no-deps', '--format-version', '1'], { cwd: workspace, maxBuffer: 1 << 28 });
const { target_directory: target } = JSON.parse(metadata);
const library = { darwin: 'libhotcell_node.dylib', win32: 'hotcell_node.dll' }[process.platform] ?? 'libhotcell_node.so';
const file = join(here, `hotcell.${process.platform}-${process.arch}.node`);
// In two steps: a process that has the old one loaded keeps it whole.
copyFileSync(join(target, 'release', library), `${file}.new`);
renameSync(`${file}.new`, file);
const { index, later } = bundle(join(here, 'lib'));
writeFileSync(join(here, 'index.cjs'), index);
writeFileSync(join(here, 'later.cjs'), later);
console.log(file);
