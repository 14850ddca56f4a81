// What the host does for a guest cannot be turned against it: the corpus of hotcell-executor's `tests/data/host-attacks`,
// attack after attack in one process that also serves a bystander.
//
// Time by the clock says little on a machine that others use, so by default only what Node's thread computes is held to
// the bound, and the clock, which stands still while others have the machine, to a generous one. HOTCELL_QUIET=1 holds the clock to the bound, too: for a machine with
// nothing else to do. HOTCELL_ATTACKS=text runs those whose names contain it, HOTCELL_ATTACK_REPORT=file keeps the figures.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { attacks } from '../fixtures/attack-corpus.mjs';

const QUIET = process.env.HOTCELL_QUIET === '1';
const ONLY = process.env.HOTCELL_ATTACKS ?? '';
const REPORT = process.env.HOTCELL_ATTACK_REPORT;

/** Each attack has this long; then it must have been answered. */
const TIMEOUT_MS = 200;
const BOUNDS = QUIET
  ? { took: TIMEOUT_MS + 100, gap: 30, work: 30, wait: 100 }
  : { took: TIMEOUT_MS + 2000, gap: 1000, work: 60, wait: 2000 };
/** A driver that says nothing for so long hangs. */
const PATIENCE_MS = 30_000;

const all = attacks(ONLY);

/** Runs the attacks from `first` on in a process of their own, until one of them is its end or there are no more: number `end`. */
async function drive(first, note, end = all.length) {
  const driver = new URL('../fixtures/attack-driver.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [driver, String(first), ONLY], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // After a block of some megabytes was freed, glibc's allocator keeps such blocks, for each thread. What it keeps is not what is
    // held for code.
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '262144' },
  });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
  let next = first;
  const giveUp = () => child.kill('SIGKILL');
  let patience = setTimeout(giveUp, PATIENCE_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(patience);
    patience = setTimeout(giveUp, PATIENCE_MS);
    note(JSON.parse(line));
    next += 1;
    if (next === end) {
      child.kill('SIGKILL');
      break;
    }
  }
  clearTimeout(patience);
  const code = await ended;
  if (next < end) {
    note({ name: all[next].name, ended: code === 'SIGKILL' ? 'hangs' : `died (${code})` });
    next += 1;
  }
  return next;
}

/** What is wrong with how an attack went. */
function faults({ ended, expected, next, grown, limit, files = 0, error, ...figures }) {
  const faults = [];
  if (!expected) faults.push(`it ended as ${ended}`);
  if (error !== undefined) faults.push(error.split('\n')[0]);
  if (!next) faults.push('the next run does not work');
  for (const [name, bound] of Object.entries(BOUNDS)) {
    if (!(figures[name] <= bound)) faults.push(`${name} ${Math.round(figures[name])} ms of ${bound}`);
  }
  if (!(grown <= 2 * limit + files)) faults.push(`${grown >> 20} MiB more memory`);
  return faults;
}

test(`${all.length} attacks on the host are answered in time, and Node goes on meanwhile`, async (t) => {
  const notes = [];
  const note = (one) => {
    notes.push(one);
    if (REPORT) appendFileSync(REPORT, `${JSON.stringify({ ...one, faults: faults(one) })}\n`);
  };
  let next = 0;
  while (next < all.length) next = await drive(next, note);

  const most = (key) => notes.reduce((most, one) => (one[key] > (most[key] ?? -1) ? one : most), {});
  for (const key of ['took', 'gap', 'work', 'wait', 'grown']) {
    const one = most(key);
    t.diagnostic(`most ${key}: ${key === 'grown' ? `${one[key] >> 20} MiB` : `${one[key]?.toFixed(1)} ms`} (${one.name})`);
  }
  assert.equal(notes.length, all.length);
  // What others do on the machine, and what earlier attacks left to the collector, is in the figures as well: what is wrong with one is
  // asked once more, in a process of its own.
  const failed = [];
  for (const [number, one] of notes.entries()) {
    if (faults(one).length === 0) continue;
    t.diagnostic(`once more: ${one.name}: ${faults(one).join(', ')}`);
    await drive(number, (again) => failed.push({ name: again.name, faults: faults(again) }), number + 1);
  }
  assert.deepEqual(failed.filter(({ faults }) => faults.length > 0).map(({ name, faults }) => `${name}: ${faults.join(', ')}`), []);
});

test('no attack of the corpus is lost', () => {
  assert.ok(attacks().length >= 500);
  assert.equal(new Set(attacks().map(({ name }) => name)).size, attacks().length);
});
