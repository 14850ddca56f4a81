// Builds the native library and puts it where lib/native.cjs looks for it, and makes index.cjs and later.cjs of lib/.
// `node build.mjs --copy` only copies what cargo has built.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const workspace = join(here, '..', '..');
const cargo = process.env.CARGO ?? 'cargo';

if (!process.argv.includes('--copy')) {
  const packages = ['-p', 'hotcell-node', '-p', 'hotcell-sandbox', '--bin', 'hotcell-worker', '--lib'];
  execFileSync(cargo, ['build', '--release', ...packages], { cwd: workspace, stdio: 'inherit' });
}
const metadata = execFileSync(cargo, ['metadata', '--no-deps', '--format-version', '1'], { cwd: workspace, maxBuffer: 1 << 28 });
const { target_directory: target } = JSON.parse(metadata);
const library = { darwin: 'libhotcell_node.dylib', win32: 'hotcell_node.dll' }[process.platform] ?? 'libhotcell_node.so';
const platform = `${process.platform}-${process.arch}`;
const file = join(here, `hotcell.${platform}.node`);

// In two steps: a process that has the old one loaded keeps it whole.
const copy = (from, to) => {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
};
copy(join(target, 'release', library), file);
// What code runs in with `isolation: "process"`; other systems have none.
const worker = join(target, 'release', 'hotcell-worker');
if (existsSync(worker)) {
  copy(worker, join(here, `hotcell-worker.${platform}`));
}
const { index, later } = bundle(join(here, 'lib'));
writeFileSync(join(here, 'index.cjs'), index);
writeFileSync(join(here, 'later.cjs'), later);
console.log(file);
