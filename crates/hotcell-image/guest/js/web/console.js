// The console of a cell. Every message ends in kit.native.log(level, text).
//
// Levels: log, debug, dir, dirxml, table, group, count and the timers give 'log'; info gives 'info'; warn and the
// console's own complaints (an unknown label) give 'warn'; error, trace and a failed assert give 'error'.
((kit) => {
  'use strict';
  const { drawTable, formatWithOptions, inspect, native } = kit;
  const { stackOf } = kit.inspectErrors;
  const { toText } = kit.inspectObjects;
  const { Error, Map, Math, Object, Symbol } = globalThis;

  const GROUP_INDENT = 2;
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;

  let indent = '';
  const counts = new Map();
  const timers = new Map();

  const emit = (level, text) => {
    if (indent === '') return native.log(level, text);
    return native.log(level, indent + (text.includes('\n') ? text.replaceAll('\n', `\n${indent}`) : text));
  };

  const write = (level, args) => {
    emit(level, args.length === 0 ? '' : formatWithOptions(undefined, args));
  };

  const textOf = (value) => toText(value, '[no text]');

  const labelFrom = (label) => (label === undefined ? 'default' : textOf(label));

  const twoDigits = (number) => `${number}`.padStart(2, '0');

  // "12.345ms", "1.234s", "1:02.345 (m:ss.mmm)", "1:00:00.000 (h:mm:ss.mmm)"
  const durationText = (elapsed) => {
    if (elapsed < SECOND) return `${+elapsed.toFixed(3)}ms`;
    if (elapsed < MINUTE) return `${(elapsed / SECOND).toFixed(3)}s`;
    const hours = Math.floor(elapsed / HOUR);
    const minutes = Math.floor((elapsed % HOUR) / MINUTE);
    const seconds = ((elapsed % MINUTE) / SECOND).toFixed(3).padStart(6, '0');
    if (hours === 0) return `${minutes}:${seconds} (m:ss.mmm)`;
    return `${hours}:${twoDigits(minutes)}:${seconds} (h:mm:ss.mmm)`;
  };

  // Logs the time since console.time(label); false if there is no such timer.
  const reportTimer = (method, label, data) => {
    if (!timers.has(label)) {
      emit('warn', `Warning: No such label '${label}' for console.${method}()`);
      return false;
    }
    const started = timers.get(label);
    const now = native.now();
    const isOff = started === undefined || now === undefined;
    const text = `${label}: ${isOff ? '(clock is off)' : durationText(now - started)}`;
    emit('log', data.length === 0 ? text : formatWithOptions(undefined, ['%s', text, ...data]));
    return true;
  };

  // The frames of whoever called the console; before them come the header, this function and the console's method.
  const callerFrames = () => {
    const [, ...frames] = stackOf(new Error()).split('\n');
    return frames;
  };

  const console = {
    log(...args) {
      write('log', args);
    },
    info(...args) {
      write('info', args);
    },
    debug(...args) {
      write('log', args);
    },
    warn(...args) {
      write('warn', args);
    },
    error(...args) {
      write('error', args);
    },
    dir(value, options) {
      emit('log', inspect(value, options));
    },
    dirxml(...args) {
      write('log', args);
    },
    table(data, properties) {
      const text = drawTable(data, properties);
      if (text === undefined) write('log', [data]);
      else emit('log', text);
    },
    trace(...args) {
      const message = args.length === 0 ? '' : formatWithOptions(undefined, args);
      const header = message === '' ? 'Trace' : `Trace: ${message}`;
      emit('error', [header, ...callerFrames()].join('\n'));
    },
    assert(condition, ...args) {
      if (condition) return;
      if (args.length === 0) write('error', ['Assertion failed']);
      else write('error', [`Assertion failed: ${textOf(args[0])}`, ...args.slice(1)]);
    },
    group(...args) {
      if (args.length > 0) write('log', args);
      indent += ' '.repeat(GROUP_INDENT);
    },
    groupCollapsed(...args) {
      console.group(...args);
    },
    groupEnd() {
      indent = indent.slice(0, -GROUP_INDENT);
    },
    count(label) {
      const name = labelFrom(label);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      emit('log', `${name}: ${count}`);
    },
    countReset(label) {
      const name = labelFrom(label);
      if (!counts.delete(name)) emit('warn', `Warning: Count for '${name}' does not exist`);
    },
    time(label) {
      const name = labelFrom(label);
      if (timers.has(name)) emit('warn', `Warning: Label '${name}' already exists for console.time()`);
      else timers.set(name, native.now());
    },
    timeLog(label, ...data) {
      reportTimer('timeLog', labelFrom(label), data);
    },
    timeEnd(label) {
      const name = labelFrom(label);
      if (reportTimer('timeEnd', name, [])) timers.delete(name);
    },
  };
  Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });

  return { console };
})
