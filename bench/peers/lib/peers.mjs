// Installing what the registries have, and finding the peers.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { target } from './installed.mjs';
import { watched } from './watched.mjs';

const here = fileURLToPath(new URL('../', import.meta.url));
const venv = join(target, 'bench-peers-venv');
// One version of Node for everybody, whichever started this.
const node = join(here, 'node_modules/.bin/node');

function need(program, ...given) {
  const { status, error } = spawnSync(program, given, { cwd: here, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ${given.join(' ')} failed: ${error?.message ?? status}`);
}

/** Does `work` unless it was done for the same text of `list`; `folder` remembers. */
function once(list, folder, work) {
  const text = readFileSync(join(here, list), 'utf8');
  const stamp = join(folder, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return;
  work();
  writeFileSync(stamp, text);
}

export function install() {
  once('package-lock.json', join(here, 'node_modules'), () => {
    // Not `npm ci`: it wants every platform of every optional package, and not all registries keep them.
    need('npm', 'install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error');
  });
  once('requirements.txt', venv, () => {
    need('python3', '-m', 'venv', venv);
    need(join(venv, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt');
  });
}

/** Every peer, with what it says about itself; `missing` if it cannot be asked. */
export async function find() {
  const named = (folder, extension) => readdirSync(join(here, folder))
    .filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
  const rust = join(target, 'release/bench-peers');
  const { answer: crates = [], stderr } = await watched([rust]);
  if (!crates.length) throw new Error(`no ${rust}: cargo build --release -p bench-peers (${stderr})`);
  const peers = [
    ...named('node', '.mjs').map((name) => ({ host: 'node', name, runner: [node, join(here, 'runner.mjs'), name] })),
    ...crates.map((name) => ({ host: 'rust', name, runner: [rust, name] })),
    ...named('python', '.py').map((name) => ({ host: 'python', name, runner: [join(venv, 'bin/python'), join(here, 'runner.py'), name] })),
  ];
  for (const peer of peers) {
    peer.id = `${peer.host}/${peer.name}`;
    peer.language = peer.host === 'python' ? 'py' : 'js';
    const { answer, stderr: complaint } = await watched([...peer.runner, '{"kind":"about"}']);
    Object.assign(peer, answer ?? { title: peer.name, missing: reason(complaint) || 'no answer' });
    peer.lacks ??= {};
  }
  return peers.sort((a, b) => (b.name === 'hotcell') - (a.name === 'hotcell'));
}

/** The line of a complaint that says what is wrong, without where this repository is. */
export function reason(complaint) {
  const lines = complaint.replaceAll(join(here, '../../'), '').trim().split('\n');
  return lines.find((line) => /error/i.test(line)) ?? lines[0];
}
