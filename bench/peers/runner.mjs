// Measures one Node peer: `node runner.mjs <peer> <request>` prints one line of JSON. README.md describes both.

import { readFileSync, readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const [name, text] = process.argv.slice(2);
const request = JSON.parse(text);
const peer = await import(`./node/${name}.mjs`);

function about() {
  const { title, version, lacks, command, flags } = peer;
  return { title, version, lacks, command, flags };
}

const tools = { async: { tool: async (n) => n + 1 }, sync: { stool: (n) => n + 1 } };

/** An executor with what the request asks for. */
function executor() {
  return peer.create({
    timeoutMs: request.timeoutMs ?? 60_000,
    memoryMb: request.memoryMb ?? 256,
    guarded: request.guarded,
    operations: request.operations,
    tools: tools[request.tools] ?? {},
  });
}

let runs = 0;
async function evaluate(one) {
  const value = await one.run(request.code.replaceAll('$n', ++runs));
  const { value: expected = value } = request;
  if (value !== expected) throw new Error(`${request.code} gave ${value}`);
}

/** µs that `work` takes. */
async function micros(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) * 1e3;
}

/** Calls `once` for twice the budget to warm up, then for the budget; what it returned then is the samples. */
async function sample(once) {
  const { budgetMs } = request;
  const repeat = async (ms, atLeast) => {
    const samples = [];
    const end = performance.now() + ms;
    while (samples.length < atLeast || performance.now() < end) samples.push(await once());
    return samples.slice(-1000);
  };
  await repeat(budgetMs * 2, 1);
  return { samples: await repeat(budgetMs, 2) };
}

async function first() {
  await evaluate(await executor());
  return { value: request.value };
}

function create() {
  return sample(async () => {
    let one;
    const took = await micros(async () => { one = await executor(); });
    await one.drop();
    return took;
  });
}

function life() {
  return sample(() => micros(async () => {
    const one = await executor();
    await evaluate(one);
    await one.drop();
  }));
}

async function run() {
  const one = await executor();
  if (request.setup) await one.run(request.setup);
  return sample(() => micros(() => evaluate(one)));
}

async function kill() {
  return sample(async () => {
    const one = await executor();
    const ended = { error: undefined };
    const took = await micros(() => one.run(request.code).catch((error) => { ended.error = error; }));
    if (!ended.error) throw new Error('an endless loop ended');
    await one.drop();
    return took - request.timeoutMs * 1e3;
  });
}

async function exhaust() {
  // Whether these lines come tells a host that is blocked from one that waits.
  setInterval(() => process.stdout.write('{"beat":true}\n'), 200);
  const one = await executor();
  const began = performance.now();
  const ended = await Promise.resolve().then(() => one.run(request.code)).then(
    (value) => ({ value: String(value) }),
    (error) => ({ error: String(error?.message ?? error).slice(0, 200) }),
  );
  return { ...ended, ms: performance.now() - began };
}

async function memory() {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const settled = async () => {
    for (let i = 0; i < 3; i++) { gc(); await new Promise(setImmediate); }
    return pss();
  };
  // The first one also pays for what all share.
  const executors = [await executor()];
  await evaluate(executors[0]);
  const before = await settled();
  const end = performance.now() + request.budgetMs * 4;
  while (executors.length < 21 || (executors.length < 201 && performance.now() < end)) {
    const one = await executor();
    await evaluate(one);
    executors.push(one);
  }
  const samples = [(await settled() - before) / (executors.length - 1)];
  for (const one of executors) await one.drop();
  return { samples };
}

/** KiB that this process and its children hold, shared pages counted by their share. */
function pss() {
  const parents = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).map((pid) => {
    try { return [pid, readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[1]]; } catch { return []; }
  });
  const family = new Set([String(process.pid)]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  let total = 0;
  for (const pid of family) total += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
  return total;
}

const answer = await { about, first, create, life, run, memory, kill, exhaust }[request.kind]();
process.stdout.write(JSON.stringify(answer) + '\n', () => process.exit());
