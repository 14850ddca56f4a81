// What `src/main.rs` measures of hotcell, measured of the contract on Node with SES. Prints medians as JSON.

import { SESExecutor } from '../peers/ses/executor.mjs';

const RUNS = 1000;
const LOOP = 'let s = 0; for (let i = 0; i < 10000000; i++) { s = (s + i) | 0 } s';

const tenLines = (number) => `const orders${number} = [
  { id: 1, items: ['tea', 'cake'], total: 12.5 },
  { id: 2, items: ['coffee'], total: 3.2 },
];
let sum${number} = 0;
for (const order of orders${number}) {
  sum${number} += order.total;
}
console.log(\`sum: \${sum${number}}\`);
sum${number} > 10 ? 'large' : 'small';`;

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

async function micros(times, work) {
  const samples = [];
  for (let i = 0; i < times; i++) {
    const began = process.hrtime.bigint();
    await work(i);
    samples.push(Number(process.hrtime.bigint() - began) / 1e3);
  }
  return median(samples);
}

async function executor(options) {
  const made = new SESExecutor(options);
  await made.init();
  await made.sendTools({ add: async (n) => n + 1 });
  return made;
}

const live = await executor({});
const same = tenLines(0);
const figures = {
  newText: await micros(RUNS, (i) => live.run(tenLines(i + 1))),
  sameText: await micros(RUNS, () => live.run(same)),
  tool: await micros(RUNS, () => live.run('await add(1)')),
  create: await micros(200, async () => {
    const one = new SESExecutor({});
    await one.init();
    await one.run('1 + 1');
    await one.cleanup();
  }),
};
for (const [name, guards] of [['loopGuarded', true], ['loop', false]]) {
  const one = await executor({ guards, maxOperations: 1e9, timeoutMs: 60_000 });
  figures[name] = await micros(5, () => one.run(LOOP)) / 1e3;
}
console.log(JSON.stringify(figures));
