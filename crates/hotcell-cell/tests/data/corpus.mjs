// What the generators in this folder share: evaluate expressions on Node and write down what it answers.
import { writeFileSync } from 'node:fs';

const answer = (code) => JSON.parse(JSON.stringify((0, eval)(`(${code})`)) ?? 'null');

export const quote = (value) => JSON.stringify(value);

export const write = (name, codes, left = new Set()) => {
  const seen = new Set();
  const lines = [];
  for (const code of codes) {
    if (seen.has(code) || left.has(code)) continue;
    seen.add(code);
    lines.push(JSON.stringify({ code, expected: answer(code) }));
  }
  writeFileSync(new URL(`${name}.json`, import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
  console.log(`${name}: ${lines.length} cases`);
};
