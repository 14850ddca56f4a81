import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect } from '../lib/remote.mjs';
import { modules, version as of } from '../lib/installed.mjs';

export const title = 'deno process';
export const version = of('deno');
export const lacks = { sync_call: 'none', loop_guarded: 'no counting' };

// Not `.bin/deno`, which is a Node script that starts it.
const deno = `${modules}@deno/${readdirSync(`${modules}@deno`)[0]}/deno`;
export const command = [deno, 'eval', 'console.log(1 + 1)'];

const FAR_END = fileURLToPath(new URL('../lib/remote-deno.mjs', import.meta.url));

export function create({ memoryMb, ...options }) {
  // Without permissions it may still import files that its command line names.
  const child = spawn(
    deno,
    ['run', '--no-prompt', '--no-config', '--no-remote', `--v8-flags=--max-old-space-size=${memoryMb}`, FAR_END],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  child.stdin.on('error', () => {});
  const gone = new Promise((resolve) => child.on('exit', resolve));
  return connect({
    send: (message) => child.stdin.write(JSON.stringify(message) + '\n'),
    onMessage: (listener) => createInterface(child.stdout).on('line', (line) => listener(JSON.parse(line))),
    onEnd: (listener) => child.on('exit', (code, signal) => listener(`the process ended (${signal ?? code})`)),
    kill() {
      child.kill('SIGKILL');
      return gone;
    },
  }, options);
}
