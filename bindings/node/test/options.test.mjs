// The options that the types declare are those of the contract, and Node's own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the types declare the options of the contract', () => {
  const [, table] = read('../../../docs/contract.md').split('| name | default |');
  const [rows] = table.split('\n\n');
  const contract = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  const [, body] = read('../index.d.cts').split('export interface ExecutorOptions {');
  const [members] = body.split('\n}');
  const declared = [...members.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.ok(contract.length > 15);
  assert.deepEqual(declared.sort(), [...contract, 'onLog', 'onApproval', 'onNotify', 'onEvent'].sort());
});

test('the types declare the options of sandboxes of the contract', () => {
  const [, table] = read('../../../docs/contract.md').split('| option of sandboxes |');
  const [rows] = table.split('\n\n');
  const contract = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  const [, body] = read('../index.d.cts').split('export interface SandboxOptions {');
  const [members] = body.split('\n}');
  const declared = [...members.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.ok(contract.length > 10);
  assert.deepEqual(declared.sort(), [...contract, 'commands', 'onAudit'].sort());
});
