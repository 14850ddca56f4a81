// The smoke tests of the contract, as they are printed there, with a line of imports on top.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import ts from 'typescript';

/** Runs a module to its end in a worker, which takes the timers that it leaves behind with it. */
async function runModule(url) {
  const code = `import(process.argv[2]).then(() => require('node:worker_threads').parentPort.postMessage('ended'))`;
  const worker = new Worker(code, { eval: true, argv: [url.href] });
  const ended = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the worker exited with ${code}`)));
  });
  await worker.terminate();
  return ended;
}

test('appendix C of the contract passes as printed', async () => {
  const source = readFileSync(new URL('../fixtures/appendix-c.ts', import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const out = new URL('../fixtures/.out/', import.meta.url);
  mkdirSync(out, { recursive: true });
  const file = new URL('appendix-c.mjs', out);
  writeFileSync(file, outputText);
  assert.equal(await runModule(file), 'ended');
});

test('section 5.2 of the older contract passes as printed', async () => {
  assert.equal(await runModule(new URL('../fixtures/section-5-2.mjs', import.meta.url)), 'ended');
});
