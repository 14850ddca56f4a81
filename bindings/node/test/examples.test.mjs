// The examples: strictly typed, and they do what they say.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const folder = new URL('../examples/', import.meta.url);
const examples = readdirSync(folder).filter((name) => name.endsWith('.mts'));

test('the examples pass tsc --strict', () => {
  const program = ts.createProgram(examples.map((name) => fileURLToPath(new URL(name, folder))), {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  });
  const found = ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const place = file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1} ` : '';
    return place + ts.flattenDiagnosticMessageText(messageText, '\n');
  });
  assert.deepEqual(found, []);
});

for (const name of examples) {
  test(`the example ${name} runs`, () => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } });
    const script = fileURLToPath(new URL(name.replace(/\.mts$/, '.run.mjs'), folder));
    writeFileSync(script, outputText);
    try {
      const output = execFileSync(process.execPath, [script], { encoding: 'utf8' });
      if (name === 'agent.mts') assert.match(output, /── the answer: Porto, 17 degrees/);
    } finally {
      rmSync(script);
    }
  });
}
