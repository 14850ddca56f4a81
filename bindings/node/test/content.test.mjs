// What code shows, what it tells, and what it keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESExecutor, observation, suspending } from 'hotcell';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

async function ready(options) {
  const executor = new SESExecutor(options);
  await executor.init();
  return executor;
}

test('a run has what its code showed, also if it failed', async () => {
  const executor = await ready({ content: true });
  await executor.sendVariables({ png: new Uint8Array(PNG) });
  const { content } = await executor.run("text('a'); display({ b: 1 }); image(png); image('<svg/>')");
  const items = [
    { mime: 'text/plain', text: 'a' },
    { mime: 'application/json', text: '{"b":1}' },
    { mime: 'image/png', data: new Uint8Array(PNG) },
    { mime: 'image/svg+xml', text: '<svg/>' },
  ];
  assert.deepEqual(content, items);
  const execution = await executor.execute("image(png); throw new Error('no')");
  assert.deepEqual(execution.content, [items[2]]);
  assert.deepEqual(execution.error.content, [items[2]]);
  const note = `[image/png, ${PNG.length} bytes]`;
  assert.ok(observation(execution).endsWith(`Shown before the error:\n${note}`));
  assert.equal(observation(await executor.run("text('x'); image(png); 7")), `Shown:\nx\n${note}\nResult: 7`);
  await assert.rejects(executor.run("image(png, 'image/gif')"), /it is said to be image\/gif, and its content is image\/png/);
  assert.deepEqual((await executor.run('1')).content, []);
  await executor.cleanup();
});

test('budgets are errors that name them, and a wrong one is refused', async () => {
  const executor = await ready({ content: true, maxContentItems: 1, maxContentBytes: 10, maxNotifications: 0 });
  await assert.rejects(executor.run("text(1); text(2)"), /maxContentItems/);
  await assert.rejects(executor.run("text('x'.repeat(11))"), /maxContentBytes/);
  await assert.rejects(executor.run("notify('x')"), /maxNotifications/);
  await executor.cleanup();
  assert.throws(() => new SESExecutor({ content: 'yes' }), /content/);
  assert.throws(() => new SESExecutor({ store: {} }), /get and set/);
  assert.throws(() => new SESExecutor({ onNotify: 1 }), /onNotify/);
});

test('what is shown is told as it comes, and stands in a run that waits', async () => {
  const told = [];
  const executor = await ready({ content: true, onEvent: (event) => told.push(event) });
  const events = executor.events();
  await executor.sendTools({ ask: suspending() });
  await executor.sendVariables({ png: new Uint8Array(PNG) });
  const started = await executor.start("image(png); notify('here'); await ask(); text('x'.repeat(65537))", { timeoutMs: null, cpuTimeMs: 60_000 });
  assert.equal(started.status, 'suspended');
  assert.deepEqual(started.content, [{ mime: 'image/png', data: new Uint8Array(PNG) }]);
  const { status, content } = await executor.resume({ '1.1': 1 });
  assert.deepEqual([status, content.length, content[1].text.length], ['complete', 2, 65537]);
  const heard = [];
  for await (const event of events) {
    heard.push(event);
    if (event.type === 'ended') break;
  }
  for (const all of [told, heard]) {
    const [first, second] = all.filter(({ type }) => type === 'content');
    assert.deepEqual([first.index, first.mime, first.bytes, first.data], [0, 'image/png', PNG.length, new Uint8Array(PNG)]);
    assert.deepEqual([second.index, second.bytes, second.text], [1, 65537, undefined]);
    assert.equal(all.find(({ type }) => type === 'notify').text, 'here');
  }
  await executor.cleanup();
});

test('large content does not keep the event loop', async () => {
  const executor = await ready({ content: true });
  const { content } = await executor.run("const wav = new Uint8Array(4e6); wav.set([82, 73, 70, 70, 0, 0, 0, 0, 87, 65, 86, 69]); audio(wav)");
  assert.equal(content[0].data.length, 4e6);
  assert.equal(content[0].mime, 'audio/wav');
  await executor.cleanup();
});

test('progress is told while the code goes on', async () => {
  const told = [];
  let waiting;
  const executor = await ready({ content: true, onNotify: (text) => told.push(text) });
  await executor.sendTools({ gate: () => new Promise((open) => (waiting = open)) });
  const run = executor.run("notify('half way'); await gate(); notify('done')");
  while (waiting === undefined) await new Promise(setImmediate);
  assert.deepEqual(told, ['half way']);
  waiting();
  await run;
  assert.deepEqual(told, ['half way', 'done']);
  const fork = await executor.fork();
  await fork.run("notify('of a fork')");
  assert.equal(told.at(-1), 'of a fork');
  await Promise.all([executor.cleanup(), fork.cleanup()]);
});

test('a Map keeps what code stores, over cells and executors', async () => {
  const store = new Map();
  const executor = await ready({ store });
  await executor.run("store('a', { at: new Date(0), n: 1n })");
  assert.deepEqual(store.get('a'), { at: new Date(0), n: 1n });
  await executor.cleanup();
  await executor.init();
  assert.equal((await executor.run("load('a').n")).output, 1n);
  const other = await ready({ store });
  assert.equal((await other.run("store('a', undefined); typeof load('a')")).output, 'undefined');
  assert.equal(store.size, 0);
  await Promise.all([executor.cleanup(), other.cleanup()]);
});

test('a store of your own may take its time and may fail', async () => {
  const executor = await ready({
    store: {
      get: async (key) => {
        await new Promise(setImmediate);
        if (key === 'bad') throw new RangeError('the disk is full');
        return [key];
      },
      set: () => Promise.resolve('whatever'),
    },
    maxStoreBytes: 1000,
  });
  assert.deepEqual((await executor.run("store('x', 1) === undefined && load('b')")).output, ['b']);
  await assert.rejects(executor.run("load('bad')"), /the disk is full/);
  await assert.rejects(executor.run("store('x', 'y'.repeat(2000))"), /maxStoreBytes/);
  await executor.cleanup();
});

test('a store in memory is that of the executor and its forks', async () => {
  const executor = await ready({ store: true });
  await executor.run("store('n', 1)");
  const fork = await executor.fork();
  await fork.run("store('n', load('n') + 1)");
  assert.equal((await executor.run("load('n')")).output, 2);
  const restored = await SESExecutor.restore(await executor.snapshot(), { store: new Map([['n', 7]]) });
  assert.equal((await restored.run("load('n')")).output, 7);
  await Promise.all([executor, fork, restored].map((one) => one.cleanup()));
});
