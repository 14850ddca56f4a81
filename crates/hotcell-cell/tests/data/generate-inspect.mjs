// Writes inspect.json and console.json beside it: what Node 20 prints for the cases of inspect-cases.mjs.
//
//     node generate-inspect.mjs
//
// inspect.json    [{ code, options?, frames?, expected }]   `code` is one expression; expected is util.inspect(value, options),
//                 which is what console.dir(value, options) prints. With `frames: true` the text holds stacks of the engine:
//                 apply FRAMES below to the text of the cell before comparing; it was applied to `expected`.
// console.json    [{ code, expected }]                      `code` is statements; expected is the list of [level, text].
//                 Node's streams know no levels, so the level is that of the method called (see LEVELS).
//
// Each case is meant for a fresh cell. Code is strict.
import { Console } from 'node:console';
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { runInThisContext } from 'node:vm';
import { consoleCases, frameCases, inspectCases } from './inspect-cases.mjs';

if (!process.versions.node.startsWith('20.')) throw new Error(`Node 20 is the reference, this is ${process.version}`);

// A run of stack frames: each engine names its own. What follows the last one on its line (" {", ",") stays.
const FRAMES = /(?:\n +at [^\n]*(?::\d+:\d+|native|<anonymous>)\)?)+/g;
const withoutFrames = (text) => text.replace(FRAMES, (run) => `${/^\n +/.exec(run)[0]}at <frames>`);

// Fewer than the four shared frames that Node folds under a cause: how many a stack has is the engine's matter.
Error.stackTraceLimit = 2;

const evaluate = (code) => runInThisContext(`'use strict'; (${code})`, { filename: 'case.js' });

const inspectCorpus = [
  ...Object.values(inspectCases).flat().map((item) => {
    const [code, options] = typeof item === 'string' ? [item, undefined] : item;
    return { code, options, expected: inspect(evaluate(code), options) };
  }),
  ...frameCases.map((code) => ({ code, frames: true, expected: withoutFrames(inspect(evaluate(code))) })),
];

const LEVELS = {
  log: 'log', debug: 'log', dir: 'log', dirxml: 'log', table: 'log', count: 'log', group: 'log', groupCollapsed: 'log',
  info: 'info', warn: 'warn', error: 'error', assert: 'error',
};

// A console of Node's whose every write is recorded with the level of the method that was called.
const recordingConsole = () => {
  const entries = [];
  let level = 'log';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      entries.push([level, chunk.toString().slice(0, -1)]);
      done();
    },
  });
  const target = new Console({ stdout: stream, stderr: stream });
  const recorder = new Proxy(target, {
    get: (object, name) => (...args) => {
      level = LEVELS[name] ?? 'log';
      return object[name](...args);
    },
  });
  return { entries, recorder };
};

const consoleCorpus = consoleCases.map((code) => {
  const { entries, recorder } = recordingConsole();
  new Function('console', `'use strict'; ${code}`)(recorder);
  return { code, expected: entries };
});

const write = (name, cases) => {
  const lines = cases.map((item) => JSON.stringify(item)).join(',\n');
  writeFileSync(new URL(name, import.meta.url), `[\n${lines}\n]\n`);
  process.stdout.write(`${name}: ${cases.length} cases\n`);
};

write('inspect.json', inspectCorpus);
write('console.json', consoleCorpus);
