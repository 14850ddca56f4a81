// The rows: what is asked of every runner, and how its answer reads. README.md describes the requests.

import * as workloads from './workloads.mjs';

/** How long code may run where a measurement is about that, and what it may hold. */
export const DEADLINE_MS = 100;
export const MEMORY_MB = 64;

const micro = { unit: 'µs', scale: 1 };
const milli = { unit: 'ms', scale: 1e-3 };
const run = (title, unit, workload, more = {}) => ({ title, ...unit, kind: 'run', workload, ...more });

/** Each is asked in every round of every peer. Runners answer in µs, or KiB of memory. */
export const timed = {
  cold: { title: 'cold start: process start to the first result', ...milli, kind: 'first', workload: workloads.first },
  command: { title: 'cold start of the command line tool', ...milli, kind: 'command' },
  create: { title: 'create', ...micro, kind: 'create' },
  life: { title: 'create, run `1 + 1`, drop', ...micro, kind: 'life', workload: workloads.first },
  tiny: run('tiny run, same text again', micro, workloads.tiny),
  tiny_new: run('tiny run, new text', micro, workloads.tinyNew),
  async_call: run('tool call, async', micro, workloads.asyncCalls, { per: workloads.CALLS, tools: 'async' }),
  sync_call: run('tool call, sync', micro, workloads.syncCalls, { per: workloads.CALLS, tools: 'sync' }),
  fib: run('`fib(30)`', milli, workloads.fib),
  loop: run('loop of 10M', milli, workloads.loop, { guarded: false }),
  loop_guarded: run('loop of 10M, iterations counted', milli, workloads.loop),
  json: run('JSON, 1 MB parsed and printed', milli, workloads.json),
  sort: run('sort of 200k numbers with a comparator', milli, workloads.sort),
  concat: run('1M string appends', milli, workloads.concat),
  memory: { title: 'memory per live executor', unit: 'KiB', scale: 1, kind: 'memory', workload: workloads.state },
  kill: {
    title: `endless loop: end past a deadline of ${DEADLINE_MS} ms`, ...milli,
    kind: 'kill', workload: workloads.endless, timeoutMs: DEADLINE_MS,
  },
};

const hostile = (title, workload, timeoutMs = DEADLINE_MS) => ({
  title, kind: 'exhaust', workload, timeoutMs, memoryMb: MEMORY_MB, operations: 50_000,
});

/** Each is asked once, in a process that may die of it. */
export const containment = {
  endless: hostile('`while (true) {}`', workloads.endless),
  small_blocks: hostile('memory, 10k numbers at a time', workloads.smallBlocks),
  large_blocks: hostile('memory, 200k numbers at a time', workloads.largeBlocks),
  // With the usual deadline that often comes first, and says nothing about the limit.
  memory_alone: hostile('the same, 3 s allowed', workloads.largeBlocks, 3000),
  regex: hostile("`/(a+)+$/.test('a'.repeat(40) + 'b')`", workloads.regex),
  fill: hostile('`Array(1e9).fill(0)`', workloads.fill),
};

/** The request that a runner of `language` gets. */
export function request(measurement, language, budgetMs) {
  const { kind, workload, tools, guarded = true, timeoutMs, memoryMb, operations = 1e9 } = measurement;
  return {
    kind, tools, guarded, operations, timeoutMs, memoryMb, budgetMs,
    code: workload?.[language], setup: workload?.setup?.[language], value: workload?.value,
  };
}
