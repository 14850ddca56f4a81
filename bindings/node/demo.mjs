// What the package does, in a few lines: `cargo xtask demo` runs it.

import { SESExecutor } from './index.mjs';

const executor = new SESExecutor({ timeoutMs: 200, maxOperations: 1e9 });
await executor.init();
await executor.sendTools({
  shout: (text) => text.toUpperCase(),
  lookup: async (city) => ({ city, degrees: -3 }),
});

const step = await executor.run(`
  const here = await lookup('Oslo');
  console.log(here);
  final_answer(shout(here.city));
`);
console.log('   logs:', step.logs);
console.log('   final answer:', step.output);

let ticks = 0;
const timer = setInterval(() => ticks++, 10);
await executor.run('while (true) {}').catch((error) => console.log(`   ${error.code}: ${error.message}`));
clearInterval(timer);
console.log(`   meanwhile a timer of Node fired ${ticks} times`);
await executor.cleanup();
await executor.init();
console.log('   and it goes on:', (await executor.run('6 * 7')).output);
