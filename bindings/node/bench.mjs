// What things cost. Run it on a machine that does nothing else: `node bench.mjs`.

import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** The median of many, in microseconds. */
async function median(count, work) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return times[count >> 1] * 1000;
}

const report = (what, us) => console.log(`${what.padEnd(60)} ${us < 1000 ? `${us.toFixed(1)} µs` : `${(us / 1000).toFixed(2)} ms`}`);

const cold = `const t = performance.now(); const { SESExecutor } = require('./index.cjs'); const loaded = performance.now();
  (async () => { const e = new SESExecutor(); await e.init(); await e.run('1 + 1'); const ran = performance.now();
  console.log(JSON.stringify([loaded - t, ran - loaded])); })()`;
const starts = Array.from({ length: 15 }, () => JSON.parse(execFileSync(process.execPath, ['-e', cold], { cwd: import.meta.dirname ?? new URL('.', import.meta.url).pathname })));
const middle = (index) => starts.map((one) => one[index] * 1000).sort((a, b) => a - b)[7];
report('cold: require', middle(0));
report('cold: new, init, first run', middle(1));

const { SESExecutor } = await import('./index.mjs');
const fresh = async () => {
  const executor = new SESExecutor({ maxOperations: 1e9, maxToolCalls: 1e9, maxResultBytes: 1 << 30, memoryLimitBytes: 1 << 30 });
  await executor.init();
  return executor;
};
await median(300, async () => (await fresh()).cleanup());
report('new, init, cleanup', await median(1000, async () => (await fresh()).cleanup()));
report(
  'new, init, run, cleanup',
  await median(1000, async () => {
    const executor = await fresh();
    await executor.run('1 + 1');
    await executor.cleanup();
  }),
);
const executor = await fresh();
await executor.sendTools({ sync: (n) => n, later: async (n) => n });
await median(1000, () => executor.run('1 + 1'));
report('run', await median(3000, () => executor.run('1 + 1')));
report('a call of a synchronous tool', (await median(20, () => executor.run('for (let i = 0; i < 500; i++) sync(i)'))) / 500);
report('a call of an asynchronous tool', (await median(20, () => executor.run('for (let i = 0; i < 500; i++) await later(i)'))) / 500);
report('a call of an asynchronous tool, 500 at once', (await median(20, () => executor.run('await Promise.all(Array.from({ length: 500 }, (_, i) => later(i)))'))) / 500);

const values = {
  'an object of 10 properties': Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key${i}`, i])),
  '1,000 objects of 4 properties': Array.from({ length: 1000 }, (_, i) => ({ id: i, name: `item ${i}`, price: i / 3, tags: ['a'] })),
  '100,000 numbers': Array.from({ length: 100_000 }, (_, i) => i / 7),
  'a string of 1 MB': 'x'.repeat(1e6),
  '1 MB of bytes': new Uint8Array(1e6),
};
const { createRequire } = await import('node:module');
const require = createRequire(import.meta.url);
const { pack } = require('./lib/pack.cjs');
for (const [name, value] of Object.entries(values)) {
  report(`${name}: packed by JavaScript`, await median(50, () => pack([value], ['v'], () => {})));
  report(`${name}: JSON.stringify, for comparison`, await median(50, () => JSON.stringify(value)));
  report(`${name}: structuredClone, for comparison`, await median(50, () => structuredClone(value)));
  report(`${name}: sendVariables`, await median(50, () => executor.sendVariables({ value })));
  report(`${name}: back as an output`, await median(50, () => executor.run('value')));
}
