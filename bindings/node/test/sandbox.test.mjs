import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SESExecutor, Sandbox, SandboxError } from 'hotcell';

test('commands run, and the shell stays as they leave it', async () => {
  const sandbox = new Sandbox({ files: { 'prices.csv': 'tea,3\ncake,4\n', raw: new Uint8Array([255, 0]) }, env: { WHO: 'you' } });
  assert.ok(sandbox instanceof Sandbox);
  const sum = await sandbox.run("awk -F, '{ s += $2 } END { print s }' prices.csv; echo oops >&2; exit 3");
  assert.deepEqual([sum.exitCode, sum.ok, sum.stdout, sum.stderr, sum.errorClass], [3, false, '7\n', 'oops\n', undefined]);
  assert.deepEqual(sum.truncated, { stdout: 0, stderr: 0 });
  await sandbox.run('greet() { echo "hello $1"; }; mkdir d; cd d');
  assert.equal((await sandbox.run('pwd; greet $WHO')).stdout, '/workspace/d\nhello you\n');
  assert.deepEqual([...(await sandbox.run('cat ../raw')).stdoutBytes], [255, 0]);
  assert.equal((await sandbox.run('od -An -tx1', { stdin: new Uint8Array([1, 2]) })).stdout, ' 01 02\n');
  assert.equal((await sandbox.run('tr a-z A-Z', { stdin: 'text' })).stdout, 'TEXT');
  assert.equal(await sandbox.cwd(), '/workspace/d');
  assert.equal((await sandbox.history())[0].exitCode, 3);
});

test('runs that are started together go in their order', async () => {
  const sandbox = new Sandbox();
  const runs = Array.from({ length: 50 }, (_, n) => sandbox.run(`echo ${n} >> log; wc -l < log`));
  const counts = (await Promise.all(runs)).map(({ stdout }) => Number(stdout));
  assert.deepEqual(counts, Array.from({ length: 50 }, (_, n) => n + 1));
});

test('what never ends is ended by a time limit, a signal, cancel and destroy', async () => {
  const sandbox = new Sandbox();
  const late = await sandbox.run('echo begun; while :; do :; done', { timeoutMs: 50 });
  assert.deepEqual([late.exitCode, late.errorClass, late.stdout], [124, 'TIMEOUT', 'begun\n']);

  const controller = new AbortController();
  const other = sandbox.run('sleep 1000', { signal: controller.signal });
  const next = sandbox.run('echo next');
  controller.abort();
  assert.deepEqual([(await other).exitCode, (await other).errorClass], [125, 'CANCELLED']);
  assert.equal((await next).stdout, 'next\n');
  assert.equal((await sandbox.run('echo no', { signal: AbortSignal.abort() })).exitCode, 125);

  const stuck = sandbox.run('yes | cat > /dev/null');
  while (!sandbox.cancel()) await sleep(1);
  assert.equal((await stuck).errorClass, 'CANCELLED');
  assert.equal((await sandbox.run('echo alive')).stdout, 'alive\n');

  const last = sandbox.run('cat', { stdin: 'x' }).then(() => sandbox.run('sleep 1000'));
  while (!sandbox.isRunning) await sleep(1);
  sandbox.destroy();
  await last.catch((error) => assert.equal(error.code, 'DESTROYED'));
  assert.ok(sandbox.isDestroyed);
  await assert.rejects(sandbox.run('ls'), (error) => error instanceof SandboxError && error.code === 'DESTROYED');
});

test('output comes as it is printed', async () => {
  const sandbox = new Sandbox();
  const controller = new AbortController();
  const heard = [];
  const onOutput = ({ stream, text }) => {
    heard.push([stream, text]);
    if (stream === 'stderr') controller.abort();
  };
  const result = await sandbox.run("printf '\\xc3'; printf '\\xa9\\n'; echo two >&2; sleep 1000", { onOutput, signal: controller.signal });
  assert.equal(result.stdout, 'é\n');
  assert.equal(heard.filter(([stream]) => stream === 'stdout').map(([, text]) => text).join(''), 'é\n');
  assert.deepEqual(heard.at(-1), ['stderr', 'two\n']);
});

test('a function is a command among others', async () => {
  const seen = [];
  const sandbox = new Sandbox({
    commands: {
      async shout({ args, env, cwd, stdin, stdout, stderr }) {
        seen.push([args, env.X, cwd]);
        for await (const piece of stdin) await stdout.write(Buffer.from(piece).toString().toUpperCase());
        await stderr.write('done\n');
        return 7;
      },
      quick: ({ stdout }) => void stdout.write('not waited for\n'),
      broken() {
        throw new Error('it is broken');
      },
      forever: () => new Promise(() => {}),
      async flood({ stdout }) {
        for (;;) await stdout.write('y\n'.repeat(10_000));
      },
    },
  });
  const shouted = await sandbox.run('cd /tmp; X=1 shout a "b c" < <(echo hello; sleep 0.01; echo you) | rev; echo ${PIPESTATUS[0]}');
  assert.equal(shouted.stdout, 'OLLEH\nUOY\n7\n');
  assert.equal(shouted.stderr, 'done\n');
  assert.deepEqual(seen, [[['a', 'b c'], '1', '/tmp']]);
  assert.equal((await sandbox.run('quick')).stdout, 'not waited for\n');
  const broken = await sandbox.run('broken');
  assert.equal(broken.exitCode, 1);
  assert.match(broken.stderr, /broken: it is broken/);
  // It is killed, and one that writes where nobody reads ends by itself.
  assert.equal((await sandbox.run('forever', { timeoutMs: 30 })).exitCode, 124);
  assert.equal((await sandbox.run('flood | head -1; echo ${PIPESTATUS[0]}')).stdout, 'y\n141\n');
  const fork = await sandbox.fork();
  assert.equal((await fork.run('echo x | shout')).stdout, 'X\n');
});

test('files are there for the host', async () => {
  const sandbox = new Sandbox();
  await sandbox.mkdir('a/b', { recursive: true });
  await sandbox.writeFile('a/b/f', 'one\n');
  await sandbox.appendFile('a/b/f', Buffer.from('two\n'));
  await sandbox.rename('a/b/f', 'a/g');
  await sandbox.symlink('a/g', 'l');
  await sandbox.chmod('a/g', 0o600);
  assert.equal(await sandbox.readFile('l', 'utf8'), 'one\ntwo\n');
  assert.deepEqual([...(await sandbox.readFile('l'))], [...Buffer.from('one\ntwo\n')]);
  const { type, size, mode } = await sandbox.stat('l');
  assert.deepEqual([type, size, mode], ['file', 8, 0o600]);
  assert.equal((await sandbox.lstat('l')).type, 'symlink');
  assert.deepEqual(await sandbox.list('a'), [{ name: 'b', type: 'directory' }, { name: 'g', type: 'file' }]);
  const archive = await sandbox.export('a');
  await sandbox.remove('a', { recursive: true });
  assert.equal(await sandbox.exists('a'), false);
  await assert.rejects(sandbox.readFile('a/g'), (error) => error instanceof SandboxError && error.code === 'ENOENT' && error.path === '/workspace/a/g');
  await sandbox.mkdir('in');
  await sandbox.import('in', archive);
  assert.equal((await sandbox.run('find in -type f | xargs cat')).stdout, 'one\ntwo\n');
});

test('forks and snapshots go their own way', async () => {
  const sandbox = new Sandbox();
  await sandbox.run('x=1; f() { echo f$x; }; echo a > a');
  await sandbox.setEnv('Y', 'two');
  const fork = await sandbox.fork();
  assert.ok(fork instanceof Sandbox && fork.id !== sandbox.id);
  await fork.run('x=2; rm a');
  assert.equal((await sandbox.run('f; cat a; echo $Y')).stdout, 'f1\na\ntwo\n');
  const later = await Sandbox.restore(await fork.snapshot());
  assert.equal((await later.run('f; ls')).stdout, 'f2\n');
  assert.equal(await later.getEnv('Y'), 'two');
  await later.unsetEnv('Y');
  assert.equal(await later.getEnv('Y'), undefined);
  await assert.rejects(Sandbox.restore(Buffer.from('nothing')), (error) => error.code === 'SNAPSHOT');
});

test('a directory of the machine is mounted', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'hotcell-sandbox-'));
  t.after(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'f'), 'host\n');
  const sandbox = new Sandbox({ mounts: { '/o': { directory: root, access: 'overlay' } } });
  assert.equal((await sandbox.run('echo x > /o/f; cat /o/f')).stdout, 'x\n');
  assert.equal(readFileSync(join(root, 'f'), 'utf8'), 'host\n');
  await sandbox.mount('/r', { directory: root, access: 'readOnly' });
  assert.equal((await sandbox.run('cat /r/f; echo x > /r/f')).stdout, 'host\n');
  await sandbox.unmount('/r');
  assert.equal(await sandbox.exists('/r/f'), false);
  await assert.rejects(sandbox.mount('/x', { access: 'overlay' }), TypeError);
});

test('limits and refusals say what they are', async () => {
  const sandbox = new Sandbox({ allowedCommands: ['seq'], limits: { outputBytes: 100 } });
  const denied = await sandbox.run('curl http://example.com');
  assert.equal(denied.errorClass, 'CAPABILITY_DENIED');
  assert.equal(denied.denials[0].subject, 'curl');
  const flood = await sandbox.run('seq 1000');
  assert.equal(flood.stdout.length, 100);
  assert.ok(flood.truncated.stdout > 0);
  assert.throws(() => new Sandbox({ limits: { files: -1 } }), /limits\.files/);
  assert.throws(() => new Sandbox({ file: {} }), /unknown option/);
  assert.throws(() => new Sandbox({ commands: { x: 1 } }), /commands\.x/);
  await assert.rejects(sandbox.run('ls', { timeout: 1 }), /unknown option/);
  await assert.rejects(sandbox.run(5), TypeError);
});

test('an executor mixes JavaScript, files and shell, and takes the sandbox along', async () => {
  const sandbox = new Sandbox({ commands: { shout: async ({ stdin, stdout }) => stdout.write((await stdin.text()).toUpperCase()) } });
  const executor = new SESExecutor();
  await executor.init();
  await executor.attach(sandbox);
  const { output } = await executor.run(`
    await write('names', 'tea\\ncake\\n');
    const sorted = await bash('sort names | shout | tee sorted');
    [sorted.exitCode, sorted.stdout]`);
  assert.deepEqual(output, [0, 'CAKE\nTEA\n']);
  assert.equal(await sandbox.readFile('sorted', 'utf8'), 'CAKE\nTEA\n');
  const later = await SESExecutor.restore(await executor.snapshot(), {
    sandbox: { commands: { shout: async ({ stdout }) => stdout.write('another\n') } },
  });
  assert.deepEqual((await later.run("(await bash('cat sorted; shout; rm sorted')).stdout")).output, 'CAKE\nTEA\nanother\n');
  const fork = await executor.fork();
  assert.deepEqual((await fork.run("(await bash('rm sorted; echo x | shout')).stdout")).output, 'X\n');
  assert.deepEqual((await executor.run("(await bash('cat sorted')).stdout")).output, 'CAKE\nTEA\n');
});

/** A module that prints a word, and one that never ends. */
const HELLO = Buffer.from(
  'AGFzbQEAAAABDAJgBH9/f38Bf2AAAAIjARZ3YXNpX3NuYXBzaG90X3ByZXZpZXcxCGZkX3dyaXRlAAADAgEBBQMBAAEHEwIGbWVtb3J5AgAGX3N0YXJ0AAEKEAEOAEEBQQBBAUHkABAAGgsLEwEAQQALDQgAAAAFAAAAaGVsbG8=',
  'base64',
);
const LOOP = Buffer.from('AGFzbQEAAAABBAFgAAADAgEABQMBAAEHEwIGbWVtb3J5AgAGX3N0YXJ0AAAKCQEHAANADAALCw==', 'base64');

for (const isolation of ['thread', 'process']) {
  test(`programs of the host run behind the boundary of a ${isolation}, and are killed there`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'hotcell-programs-'));
    t.after(() => rmSync(root, { recursive: true }));
    const [greet, spin] = [join(root, 'hello.wasm'), join(root, 'loop.wasm')];
    writeFileSync(greet, HELLO);
    writeFileSync(spin, LOOP);
    const sandbox = new Sandbox({ isolation, programs: { greet, spin } });
    t.after(() => sandbox.destroy());
    assert.equal((await sandbox.run('greet | rev')).stdout, 'olleh');
    const late = await sandbox.run('echo begun; spin', { timeoutMs: 100 });
    assert.deepEqual([late.exitCode, late.errorClass, late.stdout], [124, 'TIMEOUT', 'begun\n']);
    assert.equal((await (await sandbox.fork()).run('greet')).stdout, 'hello');
    const missing = await sandbox.run('python3 -c 1');
    assert.equal(missing.exitCode, 127);
    assert.match(missing.stderr, /its host can install it \(hotcell program add python\) and give it with the option programs/);
    assert.throws(() => new Sandbox({ isolation, programs: { greet: join(root, 'none') } }), /option programs: failed to read/);
    assert.throws(() => new Sandbox({ isolation, programs: { greet: 1 } }), /option programs is/);
  });
}

test('a network policy says what is reached, and the audit what was done', async (t) => {
  const secret = 'sk-never-seen-4711';
  const heads = [];
  const server = createServer((request, response) => {
    heads.push(request.headers.authorization);
    response.end(`you said ${request.headers.authorization}\n`);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const at = `127.0.0.1:${server.address().port}`;
  const events = [];
  const sandbox = new Sandbox({
    network: {
      rules: [`http://${at} GET`],
      secrets: [{ name: 'token', hosts: ['127.0.0.1'], value: secret, allowHttp: true }],
      limits: { timeoutMs: 5000 },
    },
    onAudit: (event) => events.push(event),
  });
  const got = await sandbox.run(`curl -sv http://${at}/x; curl -s http://127.0.0.1:1/; curl -s -d x http://${at}/y; exit 5`);
  assert.match(got.stdout, /^you said Bearer \*+\n$/);
  assert.deepEqual(heads, [`Bearer ${secret}`]);
  assert.equal(got.errorClass, 'CAPABILITY_DENIED');
  assert.equal(got.denials.length, 2);
  const fork = await sandbox.fork();
  fork.destroy();
  await sleep(1);
  const told = events.map(({ event, sandbox: id, url, subject, status }) => [event, id, url ?? subject ?? null, status ?? null]);
  assert.deepEqual(told, [
    ['create', sandbox.id, null, null],
    ['start', sandbox.id, null, null],
    ['network', sandbox.id, `http://${at}/x`, 200],
    ['deny', sandbox.id, 'http://127.0.0.1:1/', null],
    ['deny', sandbox.id, `http://${at}/y`, null],
    ['end', sandbox.id, null, null],
    ['create', fork.id, null, null],
    ['destroy', fork.id, null, null],
  ]);
  assert.equal(events[6].of, sandbox.id);
  for (const seen of [events, got, got.stderr, await sandbox.history()]) assert.ok(!JSON.stringify(seen).includes('4711'));
  for (const [options, message] of [
    [{ network: secret }, /it must be a network policy/],
    [{ network: { secrets: [{ name: 'a', hosts: ['a.example'], value: 4711 }] } }, /secrets\[0\] cannot be read/],
    [{ network: { rules: ['a b c'] } }, /option network/],
    [{ onAudit: 1 }, /onAudit must be a function/],
  ]) {
    assert.throws(() => new Sandbox(options), (error) => error instanceof TypeError && message.test(error.message) && !error.message.includes('4711'));
  }
});

test('events come also while nothing runs', async () => {
  const events = [];
  const sandbox = new Sandbox({ onAudit: ({ event }) => void events.push(event) });
  await sandbox.mount('/m', { access: 'memory' });
  sandbox.destroy();
  await sleep(1);
  assert.deepEqual(events, ['create', 'mount', 'destroy']);
});

test('the event loop turns while a command computes', async () => {
  const sandbox = new Sandbox();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await sandbox.run('while :; do :; done', { timeoutMs: 100 });
  clearInterval(timer);
  assert.ok(turns > 10, `${turns} turns`);
});
