import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Files, SESExecutor, fileTools } from 'hotcell';

const root = mkdtempSync(join(tmpdir(), 'hotcell-files-'));
after(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
symlinkSync('/etc', join(root, 'out'));

test('code works in the directory, and nowhere else', async () => {
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools(fileTools({ root }));
  const { output } = await executor.run(`
    await write({ path: 'dir/b.txt', content: 'hello' });
    await edit({ path: 'a.txt', oldText: 'two', newText: 'deux' });
    [(await read({ path: 'a.txt' })).content[0].text, (await readTool('dir/b.txt')).content[0].text, (await ls({})).content[0].text]`);
  assert.equal(output[0], 'one\ndeux\n');
  assert.equal(output[1], 'hello');
  assert.match(output[2], /a\.txt/);
  assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\ndeux\n');
  for (const path of ['../x', '/etc/passwd', 'out/passwd']) {
    await assert.rejects(executor.run(`(await read({ path: ${JSON.stringify(path)} })).content[0].text`), (error) => error.code === 'ERR_TOOL_PROXY_FAIL');
  }
});

test('the tools have descriptions and schemas', async () => {
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools(fileTools({ root }));
  const tools = executor.tools;
  assert.deepEqual(tools.map(({ name }) => name), ['edit', 'exists', 'find', 'grep', 'list', 'ls', 'read', 'readBytes', 'readJson', 'readLines', 'readText', 'write', 'writeText']);
  assert.ok(tools.every(({ description, parameters }) => description && parameters.type === 'object'));
  assert.match(executor.renderPrompt(), /declare function read\(/);
});

test('every function on files is typed', () => {
  const types = readFileSync(new URL('../index.d.cts', import.meta.url), 'utf8');
  const [, methods] = types.match(/^export class Files \{([^]*?)^\}/m);
  const missing = Object.keys(fileTools({ root })).filter((name) => !new RegExp(`^  ${name}[(<]`, 'm').test(methods));
  assert.deepEqual(missing, []);
});

test('a directory to read from has no tools that write', async () => {
  const tools = fileTools({ root, readOnly: true });
  assert.equal(tools.write, undefined);
  assert.equal(tools.edit, undefined);
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools(tools);
  assert.match((await executor.run('(await read({ path: "a.txt" })).content[0].text')).output, /one/);
});

test('the host can call them too', async () => {
  const { read, grep } = fileTools({ root });
  assert.match((await read({ path: 'a.txt' })).content[0].text, /one/);
  assert.match((await grep({ pattern: 'on.' })).content[0].text, /a\.txt/);
  await assert.rejects(read({ path: 'missing' }), /missing/);
});

test('a tool of the host may stand beside them or in their place', async () => {
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools({ ...fileTools({ root }), read: () => 'mine' });
  assert.equal((await executor.run('read()')).output, 'mine');
});

test('a root that is not there is refused', () => {
  assert.throws(() => fileTools({ root: join(root, 'nowhere') }), TypeError);
  assert.throws(() => fileTools({}), TypeError);
});

async function ready(files) {
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools(files.tools());
  return executor;
}

test('code gets data, and the host too', async () => {
  const files = new Files({ memory: true });
  await files.writeText('rows.csv', 'id\n1\n2\n');
  await files.writeText('a.json', '{"a":1}');
  const executor = await ready(files);
  const { output } = await executor.run(`
    const rows = [];
    for await (const line of readLines('rows.csv')) rows.push(line);
    const data = await readJson('a.json');
    data.b = [...(await readBytes('rows.csv', 0, 2))];
    await writeText('b.json', JSON.stringify(data));
    [rows, await list(), await exists('c')]`);
  assert.deepEqual(output, [['id', '1', '2'], ['a.json', 'b.json', 'rows.csv'], false]);
  assert.deepEqual(await files.readJson('b.json'), { a: 1, b: [105, 100] });
  assert.deepEqual([...(await files.readBytes('rows.csv', 3))], [49, 10, 50, 10]);
  const lines = [];
  for await (const line of files.readLines('rows.csv')) lines.push(line);
  assert.deepEqual(lines, ['id', '1', '2']);
  await assert.rejects(files.readText('nowhere'), /File not found: nowhere/);
  assert.ok(files instanceof Files);
});

test('files in memory follow fork and snapshot', async () => {
  const files = new Files({ memory: true });
  const executor = await ready(files);
  await executor.run("await writeText('a.txt', 'one')");
  const fork = await executor.fork();
  await fork.run("await writeText('a.txt', 'two')");
  assert.equal(await files.readText('a.txt'), 'one');
  assert.equal(await fork.files.readText('a.txt'), 'two');
  assert.equal((await executor.run("await readText('a.txt')")).output, 'one');
  const later = await SESExecutor.restore(await fork.snapshot());
  const fresh = new Files({ memory: true });
  await later.sendTools(fresh.tools());
  assert.equal((await later.run("await readText('a.txt')")).output, 'two');
  assert.equal(await fresh.readText('a.txt'), 'two');
});

test('an overlay leaves the directory as it is until it is applied', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hotcell-overlay-'));
  writeFileSync(join(dir, 'a.txt'), 'old');
  const files = new Files({ root: dir, overlay: true });
  const executor = await ready(files);
  await executor.run("await writeText('a.txt', 'new'); await write({ path: 'b.txt', content: 'b' })");
  assert.equal(readFileSync(join(dir, 'a.txt'), 'utf8'), 'old');
  assert.deepEqual(await files.changes(), [{ path: 'a.txt', kind: 'modified' }, { path: 'b.txt', kind: 'added' }]);
  await files.apply();
  assert.equal(readFileSync(join(dir, 'a.txt'), 'utf8'), 'new');
  assert.deepEqual(await files.changes(), []);
  rmSync(dir, { recursive: true });
});

test('options of files that do not go together are refused', () => {
  for (const options of [{ memory: true, root }, { root, readOnly: true, overlay: true }, { memory: 1 }, { root, maxBytes: 5 }, { memory: true, maxFiles: 0 }]) {
    assert.throws(() => new Files(options), TypeError);
  }
});
