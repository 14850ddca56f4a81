// What the package does, in a few lines: `cargo xtask demo` runs it.

import { SESExecutor, observation, parseCode } from './index.mjs';

const executor = new SESExecutor({ timeoutMs: 200, maxOperations: 1e9 });
await executor.init();
await executor.sendTools({
  shout: (text) => text.toUpperCase(),
  lookup: async (city) => ({ city, degrees: -3 }),
});

console.log(`   a system prompt of ${executor.renderPrompt().length} characters`);
// A model that reads what is below each of its answers.
const answers = [
  "<code>\nconst here = await lookUp('Oslo');\n</code>",
  "<code>\nconst here = await lookup('Oslo');\nfinal_answer(shout(here.city));\n</code>",
];
for (const answer of answers) {
  const step = await executor.execute(parseCode(answer).code);
  console.log(observation(step).replace(/^/gm, '   '));
}

let ticks = 0;
const timer = setInterval(() => ticks++, 10);
await executor.run('while (true) {}').catch((error) => console.log(`   ${error.code}: ${error.message}`));
clearInterval(timer);
console.log(`   meanwhile a timer of Node fired ${ticks} times`);
await executor.cleanup();
await executor.init();
console.log('   and it goes on:', (await executor.run('6 * 7')).output);
