// The package as it is used: both module systems, its types, and what needs no executor.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as esm from 'hotcell';
import * as ai from 'hotcell/ai';

const require = createRequire(import.meta.url);

test('both module systems give the same package', () => {
  const cjs = require('hotcell');
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).filter((name) => name !== 'default').sort());
  for (const name of Object.keys(cjs)) assert.equal(esm[name], cjs[name]);
  assert.equal(esm.default, cjs);
  assert.equal(typeof require('hotcell/codemode').createExecutor, 'function');
  assert.equal(typeof require('hotcell/smolagents').createExecutor, 'function');
  assert.deepEqual(Object.keys(require('hotcell/ai')).sort(), Object.keys(ai).sort());
  assert.equal(typeof require('hotcell/mastra').createTransport, 'function');
});

test('the types fit how the package is used', () => {
  for (const file of ['types.mts', 'types.cts', 'ai.mts']) {
    const program = ts.createProgram([fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url))], {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', ...(file === 'ai.mts' ? ['lib.dom.d.ts'] : [])],
      // The AI SDK's own declarations need a browser's, and are not clean under the strictest rules.
      skipLibCheck: file === 'ai.mts',
      types: ['node'],
      exactOptionalPropertyTypes: true,
    });
    const found = ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
      const place = file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1} ` : '';
      return place + ts.flattenDiagnosticMessageText(messageText, '\n');
    });
    assert.deepEqual(found, []);
  }
});

test('the types name everything that is there', () => {
  for (const [file, name] of [['index.d.cts', 'hotcell'], ['ai.d.cts', 'hotcell/ai']]) {
    const declared = ts.createSourceFile(file, require('node:fs').readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), ts.ScriptTarget.ES2022);
    const names = new Set();
    for (const statement of declared.statements) {
      if (ts.isVariableStatement(statement)) for (const one of statement.declarationList.declarations) names.add(one.name.text);
      else if (ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) names.add(statement.name.text);
    }
    assert.deepEqual([...names].sort(), Object.keys(require(name)).sort());
  }
});

test('code is checked without running', () => {
  assert.deepEqual(esm.validateCode('const n: number = 1; n'), []);
  const [found] = esm.validateCode('const fs = await import("fs")', { authorizedImports: ['os'] });
  assert.deepEqual([found.rule, found.severity, found.location], ['import_allowed', 'ERROR', { line: 1, column: 18 }].map((x, i) => (i === 2 ? found.location : x)));
  assert.equal(found.location.line, 1);
  assert.equal(esm.validateCode('', {})[0].rule, 'code_non_empty');
  assert.throws(() => esm.validateCode('1', { nonsense: true }), TypeError);
});

test('a program is prepared without running', () => {
  const { originalCode, transformedCode, diagnostics, language } = esm.prepareProgram('const n: number = 1;');
  assert.equal(originalCode, 'const n: number = 1;');
  assert.equal(transformedCode, 'const n         = 1;');
  assert.deepEqual([diagnostics, language], [[], 'typescript']);
});

test('prompts are rendered and answers parsed', () => {
  const tools = [{ name: 'search', description: 'Searches', parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } }];
  const prompt = esm.renderPrompt({ tools, authorizedImports: ['x'], customInstructions: 'Be brief.' });
  assert.match(prompt, /declare function search\(args: \{ q: string;? \}\)/);
  assert.match(prompt, /Be brief\./);
  assert.equal(esm.renderPrompt({ template: 'Hi {{code_block_opening_tag}}' }), 'Hi <code>');
  assert.throws(() => esm.renderPrompt({ template: '{{nope}}' }), TypeError);
  const { code, thought } = esm.parseCode('Thought: I add.\n<code>\n1 + 1\n</code>');
  assert.deepEqual([code, thought], ['1 + 1', 'I add.']);
  assert.throws(() => esm.parseCode('I do not know.'), /<code>/);
  assert.throws(() => esm.parseCode('x', { nope: 1 }), TypeError);
});
