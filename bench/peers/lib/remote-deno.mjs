import { serve } from './remote.mjs';

const receive = serve((message) => Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(message) + '\n')));
let rest = '';
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) receive(JSON.parse(line));
}
