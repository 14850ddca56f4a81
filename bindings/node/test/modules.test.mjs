// Modules of functions and values, and tools that are found and not declared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, tool, toolsFromSchemas } from 'hotcell';

const options = () => ({
  authorizedImports: ['shop', 'sums'],
  modules: {
    shop: {
      price: tool(async ({ item }) => (item === 'tea' ? 3 : 4), { parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } }),
      shout(text) {
        return `${text.toUpperCase()} ${this.tax}`;
      },
      tax: 0.5,
      when: new Date(0),
    },
    sums: "import { tax } from 'shop';\nexport const withTax = (n: number): number => n * (1 + tax);",
  },
});

test('code imports modules at its top', async () => {
  const executor = new SESExecutor(options());
  await executor.init();
  const { output, calls } = await executor.run(`
    import { price, shout, when } from 'shop';
    import { withTax } from 'sums';
    [withTax(await price({ item: 'tea' })), shout('hi'), when]`);
  assert.deepEqual(output, [4.5, 'HI 0.5', new Date(0)]);
  assert.deepEqual(calls.map(({ tool }) => tool), ['shop#price', 'shop#shout']);
  await assert.rejects(executor.run("import { prise } from 'shop'"), /does not export `prise`.*it exports default, price, shout, tax, when/);
  await assert.rejects(executor.run("import fs from 'node:fs'"), { code: 'ERR_IMPORT_NOT_ALLOWED' });
  await assert.rejects(executor.run('await price({ thing: 1 })'), /call it as price\(\{ item \}\)/);
  assert.match(executor.renderPrompt(), /declare module "shop" \{[^]*export function price\(args: \{ item: string \}\): Promise<unknown>;/);
  await executor.cleanup();
  await executor.init();
  assert.equal((await executor.run("import { tax } from 'shop'; tax")).output, 0.5);
  await executor.cleanup();
});

test('modules follow fork and restore', async () => {
  const executor = new SESExecutor(options());
  await executor.init();
  await executor.run("import { price } from 'shop'");
  const fork = await executor.fork();
  assert.equal((await fork.run("await price({ item: 'tea' })")).output, 3);
  const later = await SESExecutor.restore(await executor.snapshot(), options());
  assert.equal((await later.run("await price({ item: 'milk' })")).output, 4);
  for (const one of [executor, fork, later]) await one.cleanup();
});

test('what is no module is refused', () => {
  assert.throws(() => new SESExecutor({ modules: { x: 5 } }), /modules/);
  assert.throws(() => new SESExecutor({ modules: 'x' }), /modules/);
});

test('500 tools are found by what they do', async () => {
  const specs = Array.from({ length: 500 }, (_, i) => ({ name: `svc.action${i}`, description: `Does thing ${i}`, inputSchema: { type: 'object' } }));
  specs.push({ name: 'mail.send', description: 'Sends a letter to somebody. Be polite.', inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } });
  const executor = new SESExecutor();
  await executor.init();
  await executor.sendTools(toolsFromSchemas(specs, async (name, { to } = {}) => `${name} ${to}`), { deferred: true });
  assert.ok(executor.renderPrompt().length < 25_000);
  assert.match(executor.renderPrompt(), /501 more tools \(mail: 1, svc: 500\)/);
  const { output } = await executor.run("searchTools('send letters', 1)");
  assert.deepEqual(output, [{ name: 'mail.send', summary: 'Sends a letter to somebody.', signature: 'mail.send(args: { to: string }): Promise<unknown>' }]);
  assert.match((await executor.run("describeTool('mail.send')")).output, /Be polite/);
  assert.equal((await executor.run("await mail.send({ to: 'Ada' })")).output, 'mail.send Ada');
  await executor.cleanup();
});
