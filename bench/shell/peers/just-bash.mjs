// Answers for just-bash: see README.md.

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Bash, InMemoryFs } from 'just-bash';

const entry = createRequire(import.meta.url).resolve('just-bash');
const root = entry.slice(0, entry.lastIndexOf('/just-bash/') + '/just-bash/'.length);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// Not Infinity, which some of its commands refuse.
const MOST = 2 ** 31 - 1;

const limits = Object.fromEntries(
  [
    'maxSourceBytes',
    'maxCommandCount',
    'maxLoopIterations',
    'maxAwkIterations',
    'maxSedIterations',
    'maxJqIterations',
    'maxQueryTokens',
    'maxQueryElements',
    'maxAwkParserTokens',
    'maxAwkParserOperations',
    'maxCsvRows',
    'maxCsvCells',
    'maxWorkUnits',
    'maxTraversalEntries',
    'maxTraversalWork',
    'maxLiveBytes',
    'maxInputBytes',
    'maxFileSystemBytes',
    'maxExecutionTimeMs',
    'maxGlobOperations',
    'maxStringLength',
    'maxArrayElements',
    'maxHeredocSize',
    'maxBraceExpansionResults',
    'maxOutputSize',
  ].map((name) => [name, MOST]),
);
const options = { cwd: '/work', env: { LC_ALL: 'C' }, executionLimits: limits };

const files = {};
function collect(folder, path) {
  for (const found of readdirSync(folder, { withFileTypes: true })) {
    const [from, to] = [join(folder, found.name), `${path}/${found.name}`];
    if (found.isDirectory()) collect(from, to);
    else files[to] = readFileSync(from);
  }
}
collect(process.argv[2], '/work');
const bash = new Bash({ ...options, fs: new InMemoryFs(files) });

function pss() {
  const line = /^Pss:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'));
  return Number(line[1]);
}

const kept = [];
const answers = {
  async run({ script }) {
    const began = process.hrtime.bigint();
    const { stdout, stderr, exitCode } = await bash.exec(script);
    const us = Number(process.hrtime.bigint() - began) / 1000;
    return exitCode === 0 ? { us, output: stdout } : { error: stderr };
  },
  async create() {
    const began = process.hrtime.bigint();
    kept[0] = new Bash(options);
    return { us: Number(process.hrtime.bigint() - began) / 1000 };
  },
  async idle({ count }) {
    globalThis.gc?.();
    const before = pss();
    for (let i = 0; i < count; i++) {
      const shell = new Bash(options);
      await shell.exec('f() { echo $1; }; x=(1 2 3); f $x');
      kept.push(shell);
    }
    globalThis.gc?.();
    return { kib: (pss() - before) / count };
  },
};

console.log(JSON.stringify({ name: `just-bash ${version}` }));
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = await answers[request.kind](request).catch((error) => ({ error: String(error) }));
  console.log(JSON.stringify(answer));
}
