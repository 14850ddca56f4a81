// The small parts of a printed value: primitives, property names, properties, and what stands before a brace.
//
// `state` is one inspection under way (see inspect.js): the options, plus `indent` (columns so far), `deepest` (the
// level last entered), `seen` (objects being printed), `paint(text, style)` and `print(value, level)`.
((kit) => {
  'use strict';
  const { escape, plural, quote, widthOf } = kit.inspectText;
  const { Math, Object, Reflect, Symbol } = globalThis;
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const symbolText = Symbol.prototype.toString;

  // Shorter strings are never split, however narrow the place.
  const SHORTEST_SPLIT = 16;
  const AFTER_NEWLINE = /(?<=\n)/;
  const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

  const numberText = (number) => (Object.is(number, -0) ? '-0' : `${number}`);

  // Past this many characters (those of a nested object count once for each level it stands in) objects are only named
  // and strings cut short: neither shared references nor many large strings can make a text that no memory holds.
  const CHARACTER_BUDGET = 4 * 1024 * 1024;
  const SHORT_STRING = 16;

  const spend = (state, count) => {
    state.spent += count;
    if (state.spent > CHARACTER_BUDGET) {
      state.depth = -1;
      state.maxStringLength = Math.min(state.maxStringLength, SHORT_STRING);
    }
  };

  const printString = (state, string, paint) => {
    let text = string;
    let note = '';
    if (text.length > state.maxStringLength) {
      note = `... ${plural(text.length - state.maxStringLength, 'more character')}`;
      text = text.slice(0, state.maxStringLength);
    }
    spend(state, text.length);
    const room = state.breakLength - state.indent - 4;
    if (state.compact !== true && text.length > SHORTEST_SPLIT && text.length > room && text.includes('\n')) {
      const lines = text.split(AFTER_NEWLINE).map((line) => paint(quote(line), 'string'));
      return lines.join(` +\n${' '.repeat(state.indent + 2)}`) + note;
    }
    return paint(quote(text), 'string') + note;
  };

  const printPrimitive = (state, value, paint = state.paint) => {
    switch (typeof value) {
      case 'string':
        return printString(state, value, paint);
      case 'number':
        return paint(numberText(value), 'number');
      case 'bigint':
        return paint(`${value}n`, 'bigint');
      case 'boolean':
        return paint(`${value}`, 'boolean');
      case 'symbol':
        return paint(apply(symbolText, value, []), 'symbol');
      case 'undefined':
        return paint('undefined', 'undefined');
      default:
        return paint('null', 'null');
    }
  };

  // "Foo(3) [tag] " before a brace; a missing class name means a null prototype.
  const prefixOf = (name, tag, fallback, size = '') => {
    if (name === null) {
      const shownTag = tag !== '' && tag !== fallback ? `[${tag}] ` : '';
      return `[${fallback}${size}: null prototype] ${shownTag}`;
    }
    return tag !== '' && tag !== name ? `${name}${size} [${tag}] ` : `${name}${size} `;
  };

  const printKey = (state, key, isHidden) => {
    if (typeof key === 'symbol') return `[${state.paint(escape(apply(symbolText, key, [])), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (isHidden) return `[${escape(key)}]`;
    return IDENTIFIER.test(key) ? key : state.paint(quote(key), 'string');
  };

  const accessorLabel = (descriptor) => {
    if (descriptor.get === undefined) return '[Setter]';
    return descriptor.set === undefined ? '[Getter]' : '[Getter/Setter]';
  };

  // Getters are named, never called.
  const printSlot = (state, descriptor, level, step) => {
    if (descriptor.get !== undefined || descriptor.set !== undefined) {
      return state.paint(accessorLabel(descriptor), 'special');
    }
    const { value } = descriptor;
    // Only strings and objects look at the place they stand in.
    if (typeof value !== 'object' && typeof value !== 'string' && typeof value !== 'function') {
      return printPrimitive(state, value);
    }
    state.indent += step;
    const text = state.print(value, level);
    state.indent -= step;
    return text;
  };

  // undefined if there is no such element.
  const printElement = (state, list, index, level) => {
    const descriptor = getOwnPropertyDescriptor(list, index);
    return descriptor === undefined ? undefined : printSlot(state, descriptor, level, 2);
  };

  const printProperty = (state, key, descriptor, level, isList) => {
    const step = state.compact === true && !isList ? 3 : 2;
    const text = printSlot(state, descriptor, level, step);
    const onNextLine = step === 3 && state.breakLength < widthOf(text);
    const gap = onNextLine ? `\n${' '.repeat(state.indent + step)}` : ' ';
    return `${printKey(state, key, descriptor.enumerable === false)}:${gap}${text}`;
  };

  // A getter that ran meanwhile (of a tag or a name) may have deleted the property.
  const ABSENT = Object.freeze({ value: undefined, enumerable: true });

  const printOwn = (state, object, key, level, isList) =>
    printProperty(state, key, getOwnPropertyDescriptor(object, key) ?? ABSENT, level, isList);

  return {
    inspectParts: { numberText, prefixOf, printElement, printKey, printOwn, printPrimitive, printProperty, spend },
  };
})
