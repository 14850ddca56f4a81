// Measures hotcell beside what one would use instead. `cargo xtask bench peers` builds what is needed and starts this.
//
//     node main.mjs [--json] [--summary] [--quick] [--only peer,…] [--rows row,…] [--chart file] [--from report]
//
// Prints a Markdown section, or with --json the medians. The report also goes to bench-peers.json in the target folder, from
// where --from takes it again; --summary prints a short section of that one.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chart } from './lib/chart.mjs';
import { target } from './lib/installed.mjs';
import { machine } from './lib/machine.mjs';
import { find, install, reason } from './lib/peers.mjs';
import { summary, tables } from './lib/tables.mjs';
import { watched } from './lib/watched.mjs';
import { containment, request, timed } from './measurements.mjs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' }, summary: { type: 'boolean' }, quick: { type: 'boolean' }, chart: { type: 'string' },
    only: { type: 'string' }, rows: { type: 'string' }, from: { type: 'string' },
  },
});
const { rounds, budgetMs, coldStarts } = options.quick
  ? { rounds: 1, budgetMs: 40, coldStarts: 2 }
  : { rounds: 4, budgetMs: 120, coldStarts: 6 };
const BLOCKED_MS = 5_000;

const say = (text) => process.stderr.write(`${text}\n`);
const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const chosen = (all, list) => (list ? all.filter(([id]) => list.split(',').includes(id)) : all);

/** One figure of one peer in the unit of the row, or why there is none. */
async function figure(peer, row) {
  if (row.kind === 'first' || row.kind === 'command') {
    const command = row.kind === 'first' ? [...peer.runner, JSON.stringify(request(row, peer.language))] : peer.command;
    const times = [];
    for (let i = 0; i < coldStarts; i++) {
      const { answer, firstByteMs, exit, stderr } = await watched(command);
      if (answer === undefined) return { failed: reason(stderr) || `ended with ${exit}` };
      times.push(firstByteMs * 1e3);
    }
    return { value: median(times) * row.scale };
  }
  const { answer, late, exit, stderr } = await watched([...peer.runner, JSON.stringify(request(row, peer.language, budgetMs))]);
  if (!answer?.samples) return { failed: late ? 'took too long' : reason(stderr) || `ended with ${exit}` };
  return { value: (median(answer.samples) * row.scale) / (row.per ?? 1) };
}

/** What became of a peer, and of its host, when it ran hostile code. */
async function outcome(peer, row) {
  const [program, ...rest] = peer.runner;
  const flags = (peer.flags ?? []).map((flag) => flag.replace('$memoryMb', row.memoryMb));
  const { answer, late, greedy, beating, peakMb, exit } = await watched(
    [program, ...flags, ...rest, JSON.stringify(request(row, peer.language))],
    { limitMs: row.timeoutMs + BLOCKED_MS + 1000, measureMemory: true },
  );
  if (answer) return { what: answer.error === undefined ? 'finished' : 'stopped', ms: answer.ms, said: answer.error ?? answer.value, peakMb };
  if (greedy) return { what: 'greedy', peakMb };
  if (late) return { what: beating ? 'running' : 'blocked', peakMb };
  return { what: 'died', exit, peakMb };
}

async function measure() {
  install();
  const everyone = (await find()).filter(({ name }) => !options.only || options.only.split(',').includes(name));
  const peers = everyone.filter(({ missing }) => !missing);
  for (const { id, missing } of everyone) if (missing) say(`not measured: ${id}: ${missing}`);

  const results = Object.fromEntries(peers.map(({ id }) => [id, { timed: {}, containment: {} }]));
  const facts = machine();
  for (let round = 0; round < rounds; round++) {
    // Who comes first changes, so that nobody always follows the same neighbour.
    const order = peers.map((_, i) => peers[(i + round * 3) % peers.length]);
    for (const [id, row] of chosen(Object.entries(timed), options.rows)) {
      say(`round ${round + 1} of ${rounds}: ${row.title}`);
      for (const peer of order) {
        const lacks = peer.lacks[id] ?? (row.kind === 'command' && !peer.command && 'none');
        const entry = (results[peer.id].timed[id] ??= lacks ? { lacks } : { unit: row.unit, rounds: [] });
        if (lacks || entry.failed) continue;
        const { value, failed } = await figure(peer, row);
        if (failed) {
          say(`  ${peer.id} failed: ${failed}`);
          Object.assign(entry, { failed, median: undefined });
          continue;
        }
        entry.rounds.push(value);
        entry.median = median(entry.rounds);
      }
    }
  }
  for (const [id, row] of chosen(Object.entries(containment), options.rows)) {
    say(`hostile: ${row.title}`);
    for (const peer of peers) results[peer.id].containment[id] = await outcome(peer, row);
  }

  return {
    machine: facts, rounds, budgetMs,
    peers: everyone.map(({ id, host, name, title, version, missing }) => ({ id, host, name, title, version, missing, ...results[id] })),
  };
}

const last = join(target, 'bench-peers.json');
const from = options.from ?? (options.summary && last);
let report;
if (from) {
  report = JSON.parse(readFileSync(from, 'utf8'));
} else {
  report = await measure();
  writeFileSync(last, JSON.stringify(report));
}
if (options.chart) writeFileSync(options.chart, chart(report));
if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else process.stdout.write(options.summary ? summary(report) : tables(report));
