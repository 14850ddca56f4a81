// Numbers that Rust and JavaScript share are the same in both. Each stands in a file of either; this reads both.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const operations = createRequire(import.meta.url)('../lib/operations.cjs');
const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** What a pattern finds: a name and a number. */
function numbers(text, pattern) {
  const found = [...text.matchAll(pattern)].map(([, name, number]) => [name, Number(number)]);
  assert.ok(found.length > 2);
  return Object.fromEntries(found);
}

/** `const u32` in Rust. */
const constants = (file) => numbers(read(file), /^(?:pub\(crate\) )?const (\w+): u32 = (\d+);/gm);

/** `const [A, B] = [0, 1]` in lib/host.cjs, of which one name is `name`. */
function destructured(name) {
  const lines = [...read('../lib/host.cjs').matchAll(/^const \[([\w, ]+)\] = \[([\d, ]+)\];/gm)];
  const [, names, values] = lines.find(([, names]) => names.split(', ').includes(name));
  const all = values.split(', ').map(Number);
  return Object.fromEntries(names.split(', ').map((name, index) => [name, all[index]]));
}

test('operations of packed values', () => {
  const { VIEWS, ...inJavaScript } = operations;
  assert.deepEqual(inJavaScript, numbers(read('../src/packed.rs'), /^ +([A-Z]+) = (\d+),/gm));
});

test('kinds of views', () => {
  const [, list] = read('../../../crates/hotcell-cell/src/value.rs').split('pub enum ViewKind {');
  const [kinds] = list.split('\n}');
  const name = (kind) => (kind === 'DataView' ? kind : `${kind}Array`);
  const inRust = numbers(kinds, /^ +(\w+) = (\d+),/gm);
  const named = Object.fromEntries(Object.entries(inRust).map(([kind, number]) => [name(kind), number]));
  assert.deepEqual(Object.fromEntries(operations.VIEWS), named);
});

test('events', () => {
  assert.deepEqual(destructured('CALL'), constants('../src/event.rs'));
});

test('outcomes', () => {
  assert.deepEqual(destructured('NOTHING'), constants('../src/outcome.rs'));
});

test('answers to calls', () => {
  const [, names, values] = read('../lib/runs.cjs').match(/^const \[(\w+(?:, \w+)*)\] = \[([\d, ]+)\];/m);
  const inJavaScript = Object.fromEntries(names.split(', ').map((name, index) => [name, Number(values.split(', ')[index])]));
  assert.deepEqual(inJavaScript, constants('../src/executor/runs.rs'));
});

test('operations take the numbers of the table, nowhere written again', () => {
  for (const file of ['../lib/pack.cjs', '../lib/unpack.cjs']) {
    const text = read(file);
    assert.match(text, /require\('\.\/operations\.cjs'\)/);
    assert.doesNotMatch(text, /case \d+:/);
  }
});

test('a run that did not begin fails in the words of the contract', () => {
  const [, row] = read('../../../docs/contract.md').match(/^\| `ERR_CANCELLED` \| ERROR \| yes \| `(.+?)` \|/m);
  assert.ok(read('../lib/executor.cjs').includes(`message: '${row}'`));
  assert.ok(read('../src/executor.rs').includes(`"message": "${row}"`));
});
