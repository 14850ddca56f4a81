// Errors: the header line, the stack under it, and which properties are worth repeating.
//
// The engine's stacks are frames only, each "    at name (file:line:column)\n". Node's stacks begin with the header
// "Name: message"; it is composed here, from the name and message as they are now (V8 composes it when the stack is first
// read), also for programs that read `stack`: see error-stack.js. A string that user code put there is shown as it is.
((kit) => {
  'use strict';
  const { read, toText, classOf, isError, isObject, lookup, unwrap } = kit.inspectObjects;
  const { prefixOf } = kit.inspectParts;

  const { Reflect } = globalThis;
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const engineStack = getOwnPropertyDescriptor(globalThis.Error.prototype, 'stack')?.get;

  const FRAME = '\n    at';
  // The name a stack begins with: words up to a colon or the first frame, or a lone name.
  const LEADING_NAME = /^(?:[A-Z][\w ()[\]-]+(?=:|\n\s+at)|[\w-]*Error$)/;
  // A run of frames shared with the cause is folded if it is longer than this.
  const SHORTEST_FOLD = 3;

  const headerOf = (error) => {
    const name = read(error, 'name');
    const message = read(error, 'message');
    const nameText = name === undefined ? 'Error' : toText(name, 'Error');
    const messageText = message === undefined ? '' : toText(message);
    if (nameText === '') return messageText;
    return messageText === '' ? nameText : `${nameText}: ${messageText}`;
  };

  // The engine's frames without the newline at the end.
  const tidyFrames = (frames) => (frames.endsWith('\n') ? frames.slice(0, -1) : frames);

  // An error that lost its prototype still has the stack the engine gave it.
  const rawStack = (error) => {
    if (engineStack === undefined || lookup(error, 'stack') !== undefined) return read(error, 'stack');
    return apply(engineStack, error, []);
  };

  const composeStack = (error, stack) => {
    const frames = tidyFrames(stack);
    return frames === '' ? headerOf(error) : `${headerOf(error)}\n${frames}`;
  };
  kit.errorStack.composeWith(composeStack);

  const stackOf = (error) => {
    const raw = rawStack(error);
    const stack = raw ? toText(raw) : '';
    return stack === '' || stack.startsWith('    at ') ? composeStack(error, stack) : stack;
  };

  // Properties whose text the stack shows already are dropped; cause and errors are shown though hidden.
  const errorKeys = (error, stack, keys, showHidden) => {
    const shown = keys.filter((key) => {
      if (showHidden) return true;
      // Assigning to `stack` makes an enumerable property here, a hidden one in Node.
      if (key === 'stack') return false;
      if (key !== 'name' && key !== 'message') return true;
      const value = read(error, key);
      return !(typeof value === 'string' && stack.includes(value));
    });
    if (lookup(error, 'cause') !== undefined && !shown.includes('cause')) shown[shown.length] = 'cause';
    const errors = read(error, 'errors');
    if (isObject(errors) && classOf(unwrap(errors)) === 'Array' && !shown.includes('errors')) {
      shown[shown.length] = 'errors';
    }
    return shown;
  };

  const startsWithName = (stack, name) => {
    if (!name.endsWith('Error') || !stack.startsWith(name)) return false;
    const next = stack[name.length];
    return next === undefined || next === ':' || next === '\n';
  };

  // Adds the class name where the header does not tell it: "Foo [Error]: message".
  const withClassName = (stack, className, name, tag) => {
    if (className !== null && !startsWithName(stack, name)) return stack;
    let length = name.length;
    let fallback = 'Error';
    if (className === null) {
      const found = LEADING_NAME.exec(stack)?.[0] ?? '';
      length = found.length;
      fallback = found === '' ? 'Error' : found;
    }
    const prefix = prefixOf(className, tag, fallback).slice(0, -1);
    if (prefix === name) return stack;
    if (!prefix.includes(name)) return `${prefix} [${name}]${stack.slice(length)}`;
    return length === 0 ? `${prefix}: ${stack}` : `${prefix}${stack.slice(length)}`;
  };

  // The first run of more than three lines that both stacks have: { start, length }, or undefined.
  const sharedRun = (lines, causeLines) => {
    for (let start = 0; start + SHORTEST_FOLD < lines.length; start += 1) {
      const offset = causeLines.indexOf(lines[start]);
      if (offset === -1) continue;
      let length = 1;
      while (
        start + length < lines.length &&
        offset + length < causeLines.length &&
        lines[start + length] === causeLines[offset + length]
      ) {
        length += 1;
      }
      if (length > SHORTEST_FOLD) return { start, length };
    }
    return undefined;
  };

  const foldSharedFrames = (state, error, lines) => {
    const cause = read(error, 'cause');
    if (!isObject(cause)) return lines;
    const target = unwrap(cause);
    if (target === null || !isError(target)) return lines;
    const causeStack = stackOf(target);
    const framesAt = causeStack.indexOf(FRAME);
    if (framesAt === -1) return lines;
    const run = sharedRun(lines, causeStack.slice(framesAt + 1).split('\n'));
    if (run === undefined) return lines;
    // The first and last line of the run stay.
    const folded = state.paint(`    ... ${run.length - 2} lines matching cause stack trace ...`, 'undefined');
    return [...lines.slice(0, run.start + 1), folded, ...lines.slice(run.start + run.length - 1)];
  };

  // Where the frames begin: after the message, which may itself hold lines that look like frames.
  const framesStart = (stack, message) => {
    const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1;
    return stack.indexOf(FRAME, at > 0 ? at + message.length : 0);
  };

  // { base, keys }: the text of the error itself and the properties to print after it.
  const describeError = (state, error, className, tag, ownKeys) => {
    const rawName = read(error, 'name');
    const name = rawName === undefined || rawName === null ? 'Error' : toText(rawName, 'Error');
    const plainStack = stackOf(error);
    const keys = errorKeys(error, plainStack, ownKeys, state.showHidden);
    const stack = withClassName(plainStack, className, name, tag);
    const start = framesStart(stack, read(error, 'message'));
    let base = `[${stack}]`;
    if (start !== -1) {
      const lines = foldSharedFrames(state, error, stack.slice(start + 1).split('\n'));
      base = `${stack.slice(0, start)}\n${lines.join('\n')}`;
    }
    if (state.indent !== 0) base = base.replaceAll('\n', `\n${' '.repeat(state.indent)}`);
    return { base, keys };
  };

  return { inspectErrors: { describeError, headerOf, stackOf, tidyFrames } };
})
