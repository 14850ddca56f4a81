import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SESExecutor, fileTools } from 'hotcell';

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
  assert.deepEqual(tools.map(({ name }) => name), ['edit', 'find', 'grep', 'ls', 'read', 'write']);
  assert.ok(tools.every(({ description, parameters }) => description && parameters.type === 'object'));
  assert.match(executor.renderPrompt(), /declare function read\(/);
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
