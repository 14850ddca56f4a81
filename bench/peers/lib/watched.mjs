// Starting a process and seeing what becomes of it.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Starts `command` and resolves when it has answered with a line of JSON, ended, or been ended for taking too long or too
 * much memory:
 * `{ answer, firstByteMs, late, greedy, beating, peakMb, exit, stderr }`.
 */
export function watched([program, ...given], { limitMs = 60_000, limitMb = 6_000, measureMemory = false } = {}) {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const seen = { peakMb: 0, stderr: '' };
    let beat = 0;
    const end = (why) => {
      Object.assign(seen, why);
      // Its group: some peers are processes of their own.
      try { process.kill(-child.pid, 'SIGKILL'); } catch {}
    };
    const timer = setTimeout(() => end({ late: true, beating: performance.now() - beat < 1000 }), limitMs);
    const poll = measureMemory && setInterval(() => {
      seen.peakMb = Math.max(seen.peakMb, residentMb(child.pid));
      if (seen.peakMb > limitMb) end({ greedy: true });
    }, 20);
    child.stdout.once('data', () => { seen.firstByteMs = performance.now() - began; });
    createInterface(child.stdout).on('line', (line) => {
      let said;
      try { said = JSON.parse(line); } catch { return; }
      if (said?.beat) beat = performance.now();
      else seen.answer = said;
    });
    child.stderr.on('data', (text) => { seen.stderr = (seen.stderr + text).slice(-2000); });
    child.on('error', (error) => { seen.stderr = error.message; });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      clearInterval(poll);
      end({ exit: signal ?? code });
      resolve(seen);
    });
  });
}

/** Memory of the processes in a group. */
function residentMb(group) {
  let pages = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      if (Number(fields[2]) === group) pages += Number(fields[21]);
    } catch {}
  }
  return (pages * 4096) / 2 ** 20;
}
