// How each kind of object is printed.
//
// A describer takes (state, facts) and returns a shape:
//   { done }                                            the finished text, or
//   { base, open, close, isList, keys, body, list }     text before the brace, braces, the keys still to print, and
//                                                       body(level), which gives the entries that are not properties
// `facts` is { value, kind, name, tag, keys, extras, level, insideTypedArray }: the class by the engine, the class name
// by the prototype chain (null without a prototype), the tag, own keys, texts of inherited hidden properties.
((kit) => {
  'use strict';
  const { native } = kit;
  const { describeError } = kit.inspectErrors;
  const { layOut } = kit.inspectLayout;
  const { classOf, hasIterator, hasOwn, isError, protoOf, read, toText } = kit.inspectObjects;
  const { printableKeys, printableListKeys } = kit.inspectObjects;
  const { numberText, prefixOf, printElement, printKey, printPrimitive } = kit.inspectParts;
  const { moreItems, paintPlain, plural } = kit.inspectText;
  const { Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, Map, Math, Number, Object } = globalThis;
  const { Reflect, RegExp, Set, SharedArrayBuffer, String, Symbol, Uint8Array } = globalThis;
  const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;

  const getterOf = (holder, key) => getOwnPropertyDescriptor(holder, key)?.get;
  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const typedArrayLength = getterOf(typedArrayPrototype, 'length');
  const mapSize = getterOf(Map.prototype, 'size');
  const setSize = getterOf(Set.prototype, 'size');
  const mapEntries = Map.prototype.entries;
  const setValues = Set.prototype.values;
  const dateTime = Date.prototype.getTime;
  const dateISO = Date.prototype.toISOString;
  const functionText = Function.prototype.toString;
  const byteLengthGetters = new Map([
    ['ArrayBuffer', getterOf(ArrayBuffer.prototype, 'byteLength')],
    ['SharedArrayBuffer', SharedArrayBuffer && getterOf(SharedArrayBuffer.prototype, 'byteLength')],
    ['DataView', getterOf(DataView.prototype, 'byteLength')],
  ]);
  const bufferDetached = getterOf(ArrayBuffer.prototype, 'detached');
  const viewOffset = getterOf(DataView.prototype, 'byteOffset');
  const viewBuffer = getterOf(DataView.prototype, 'buffer');
  const unboxers = new Map([
    ['Number', Number.prototype.valueOf],
    ['String', String.prototype.valueOf],
    ['Boolean', Boolean.prototype.valueOf],
    ['BigInt', BigInt.prototype.valueOf],
    ['Symbol', Symbol.prototype.valueOf],
  ]);
  const regexpSource = getterOf(RegExp.prototype, 'source');
  // Each flag by its own getter: RegExp.prototype.flags would read properties that user code may have put on the value.
  const regexpFlags = [
    ['hasIndices', 'd'],
    ['global', 'g'],
    ['ignoreCase', 'i'],
    ['multiline', 'm'],
    ['dotAll', 's'],
    ['unicode', 'u'],
    ['unicodeSets', 'v'],
    ['sticky', 'y'],
  ].flatMap(([name, letter]) => {
    const getter = getterOf(RegExp.prototype, name);
    return getter === undefined ? [] : [{ getter, letter }];
  });

  const bytesPerElement = new Map();

  const nothing = () => [];
  const isBare = (facts) => facts.keys.length === 0 && facts.extras === undefined;
  const braces = (facts, prefix, body = nothing) => ({
    base: '', open: `${prefix}{`, close: '}', isList: false, keys: facts.keys, body, list: undefined,
  });
  const withBase = (facts, base, keys = facts.keys) => ({ ...braces(facts, ''), base, keys });
  const shownCount = (state, total) => Math.min(Math.max(0, state.maxArrayLength), total);
  const isTooDeep = (state, facts) => facts.level > state.depth;

  // --- lists

  const emptyItems = (state, count) => state.paint(`<${plural(count, 'empty item')}>`, 'undefined');

  // From the first hole on: Object.keys gives what is there, so that a gap of a billion costs nothing.
  const printSparse = (state, array, level, limit, entries, firstHole) => {
    const keys = Object.keys(array);
    let index = firstHole;
    for (let position = firstHole; position < keys.length && entries.length < limit; position += 1) {
      const key = keys[position];
      const number = key >>> 0;
      if (`${number}` !== key || number >= array.length) break;
      if (number !== index) {
        entries[entries.length] = emptyItems(state, number - index);
        index = number;
        if (entries.length === limit) break;
      }
      entries[entries.length] = printElement(state, array, key, level);
      index += 1;
    }
    const rest = array.length - index;
    if (rest > 0) entries[entries.length] = entries.length === limit ? moreItems(rest) : emptyItems(state, rest);
    return entries;
  };

  const printArrayItems = (state, array, level) => {
    const limit = shownCount(state, array.length);
    const entries = [];
    for (let index = 0; index < limit; index += 1) {
      const text = printElement(state, array, index, level);
      if (text === undefined) return printSparse(state, array, level, limit, entries, index);
      entries[index] = text;
    }
    if (array.length > limit) entries[limit] = moreItems(array.length - limit);
    return entries;
  };

  const describeArray = (state, facts) => {
    const { value, name, tag } = facts;
    const prefix = name === 'Array' && tag === '' ? '' : prefixOf(name, tag, 'Array', `(${value.length})`);
    facts.keys = printableListKeys(value, state.showHidden);
    if (value.length === 0 && isBare(facts)) return { done: `${prefix}[]` };
    const body = (level) => printArrayItems(state, value, level);
    return { base: '', open: `${prefix}[`, close: ']', isList: true, keys: facts.keys, body, list: value };
  };

  // Read from the shared prototype, since the array may have lost its own.
  const hiddenTypedArrayParts = (array, kind) => {
    const parts = [['BYTES_PER_ELEMENT', bytesPerElement.get(kind)]];
    for (const part of ['length', 'byteLength', 'byteOffset', 'buffer']) {
      parts[parts.length] = [part, apply(getterOf(typedArrayPrototype, part), array, [])];
    }
    return parts;
  };

  const printTypedItems = (state, { value: array, kind }, length, level) => {
    const limit = shownCount(state, length);
    const entries = [];
    for (let index = 0; index < limit; index += 1) entries[index] = printPrimitive(state, array[index]);
    if (length > limit) entries[limit] = moreItems(length - limit);
    if (state.showHidden) {
      state.indent += 2;
      for (const [part, content] of hiddenTypedArrayParts(array, kind)) {
        entries[entries.length] = `[${part}]: ${state.print(content, level, true)}`;
      }
      state.indent -= 2;
    }
    return entries;
  };

  const describeTypedArray = (state, facts) => {
    const { value, name, tag, kind } = facts;
    const length = apply(typedArrayLength, value, []);
    const prefix = prefixOf(name, tag, name === null ? kind : '', `(${length})`);
    facts.keys = printableListKeys(value, state.showHidden);
    if (length === 0 && facts.keys.length === 0 && !state.showHidden) return { done: `${prefix}[]` };
    const body = (level) => printTypedItems(state, facts, length, level);
    return { base: '', open: `${prefix}[`, close: ']', isList: true, keys: facts.keys, body, list: value };
  };

  // --- collections

  // Prints the first items of an iterator of ours; `size` is how many there are in all.
  const printItems = (state, items, size, printOne) => {
    const limit = shownCount(state, size);
    const entries = [];
    state.indent += 2;
    if (limit > 0) {
      for (const item of items) {
        entries[entries.length] = printOne(item);
        if (entries.length === limit) break;
      }
    }
    state.indent -= 2;
    if (size > limit) entries[entries.length] = moreItems(size - limit);
    return entries;
  };

  const describeSet = (state, facts) => {
    const { value, name, tag } = facts;
    const size = apply(setSize, value, []);
    const prefix = prefixOf(name, tag, 'Set', `(${size})`);
    if (size === 0 && isBare(facts)) return { done: `${prefix}{}` };
    return braces(facts, prefix, (level) =>
      printItems(state, apply(setValues, value, []), size, (item) => state.print(item, level)));
  };

  const describeMap = (state, facts) => {
    const { value, name, tag } = facts;
    const size = apply(mapSize, value, []);
    const prefix = prefixOf(name, tag, 'Map', `(${size})`);
    if (size === 0 && isBare(facts)) return { done: `${prefix}{}` };
    return braces(facts, prefix, (level) =>
      printItems(state, apply(mapEntries, value, []), size, (entry) =>
        `${state.print(entry[0], level)} => ${state.print(entry[1], level)}`));
  };

  const printPair = (state, key, value, level) => {
    const entries = [state.print(key, level), state.print(value, level)];
    return layOut(state, entries, { base: '', open: '[', close: ']', isList: true, keys: [] }, level);
  };

  const describeIterator = (state, facts) => {
    const { value, kind, tag } = facts;
    const { entries, isKeyValue } = native.previewEntries(value);
    const owner = kind === 'Map Iterator' ? 'Map' : 'Set';
    const noun = isKeyValue ? `${owner} Entries` : `${owner} Iterator`;
    const label = tag === kind || tag === '' ? noun : `${tag}] [${noun}`;
    const body = (level) => {
      if (!isKeyValue) return printItems(state, entries, entries.length, (item) => state.print(item, level));
      const pairs = entries.length / 2;
      const keys = Array.from({ length: shownCount(state, pairs) }, (_, index) => index * 2);
      return printItems(state, keys, pairs, (at) => printPair(state, entries[at], entries[at + 1], level));
    };
    return braces(facts, `[${label}] `, body);
  };

  const describeWeak = (state, facts) =>
    braces(facts, prefixOf(facts.name, facts.tag, facts.kind), () => [state.paint('<items unknown>', 'special')]);

  // --- functions

  const COMMENTS = /\/\/[^\n]*|\/\*[^]*?\*\//g;

  // Node tells classes from methods named "class" by the parenthesis: a class that extends a call is a function to it.
  const isClass = (text) => {
    if (!text.startsWith('class') || !text.endsWith('}')) return false;
    const body = text.indexOf('{');
    const head = text.slice(0, body);
    return !head.includes('(') || !head.replace(COMMENTS, '').includes('(');
  };

  const otherNames = (name, tag, usual) => {
    const ofClass = name !== usual && name !== null ? name : '';
    return { ofClass, ofTag: tag !== '' && tag !== name ? ` [${tag}]` : '' };
  };

  const classBase = (facts) => {
    const { value, name, tag } = facts;
    const ownName = hasOwn(value, 'name') ? read(value, 'name') : '';
    const { ofClass, ofTag } = otherNames(name, tag, 'Function');
    const parent = name === null ? '[null prototype]' : read(protoOf(value), 'name');
    const inherits = parent ? ` extends ${toText(parent)}` : '';
    const shownName = ownName ? toText(ownName) : '(anonymous)';
    return `[class ${shownName}${ofClass === '' ? '' : ` [${ofClass}]`}${ofTag}${inherits}]`;
  };

  const functionBase = (facts) => {
    const { value, kind, name, tag } = facts;
    if (kind === 'Function' && isClass(apply(functionText, value, []))) return classBase(facts);
    const ownName = read(value, 'name');
    const { ofClass, ofTag } = otherNames(name, tag, kind);
    const shownName = ownName === '' || ownName === undefined ? ' (anonymous)' : `: ${toText(ownName)}`;
    const noPrototype = name === null ? ' (null prototype)' : '';
    return `[${kind}${noPrototype}${shownName}]${ofClass === '' ? '' : ` ${ofClass}`}${ofTag}`;
  };

  const describeFunction = (state, facts) => {
    const base = functionBase(facts);
    return isBare(facts) ? { done: state.paint(base, 'special') } : withBase(facts, base);
  };

  // --- values with a text of their own

  const regexpText = (value) => {
    let flags = '';
    for (const { getter, letter } of regexpFlags) if (apply(getter, value, [])) flags += letter;
    return `/${apply(regexpSource, value, [])}/${flags}`;
  };

  const withForeignPrefix = (facts, text) => {
    const prefix = prefixOf(facts.name, facts.tag, facts.kind);
    return prefix === `${facts.kind} ` ? text : `${prefix}${text}`;
  };

  const describeRegExp = (state, facts) => {
    const base = withForeignPrefix(facts, regexpText(facts.value));
    return isBare(facts) || isTooDeep(state, facts) ? { done: state.paint(base, 'regexp') } : withBase(facts, base);
  };

  const describeDate = (state, facts) => {
    const time = apply(dateTime, facts.value, []);
    const text = time === time ? apply(dateISO, facts.value, []) : 'Invalid Date';
    const base = withForeignPrefix(facts, text);
    return isBare(facts) ? { done: state.paint(base, 'date') } : withBase(facts, base);
  };

  const describeErrorObject = (state, facts) => {
    const { base, keys } = describeError(state, facts.value, facts.name, facts.tag, facts.keys);
    facts.keys = keys;
    return isBare(facts) ? { done: base } : withBase(facts, base);
  };

  const describeBoxed = (state, facts) => {
    const { value, kind, name, tag } = facts;
    const primitive = apply(unboxers.get(kind), value, []);
    // The characters of a String object are keys too; they come first.
    if (kind === 'String') facts.keys = facts.keys.slice(primitive.length);
    let label = '';
    if (name === null) label = ' (null prototype)';
    else if (name !== kind) label = ` (${name})`;
    const shownTag = tag !== '' && tag !== name ? ` [${tag}]` : '';
    const base = `[${kind}${label}: ${printPrimitive(state, primitive, paintPlain)}]${shownTag}`;
    return isBare(facts) ? { done: state.paint(base, kind.toLowerCase()) } : withBase(facts, base);
  };

  // --- buffers

  const hexOf = (buffer, count) => {
    const bytes = new Uint8Array(buffer, 0, count);
    let text = '';
    for (let index = 0; index < count; index += 1) {
      const byte = bytes[index];
      text += `${index === 0 ? '' : ' '}${byte < 16 ? '0' : ''}${byte.toString(16)}`;
    }
    return text;
  };

  const printContents = (state, buffer, length) => {
    if (bufferDetached !== undefined && classOf(buffer) === 'ArrayBuffer' && apply(bufferDetached, buffer, [])) {
      return [state.paint('(detached)', 'special')];
    }
    const shown = shownCount(state, length);
    const note = length > shown ? ` ... ${plural(length - shown, 'more byte')}` : '';
    return [`${state.paint('[Uint8Contents]', 'special')}: <${hexOf(buffer, shown)}${note}>`];
  };

  const describeBuffer = (state, facts) => {
    const { value, name, tag, kind } = facts;
    const length = apply(byteLengthGetters.get(kind), value, []);
    const prefix = prefixOf(name, tag, kind);
    const lengthText = `byteLength: ${state.paint(numberText(length), 'number')}`;
    if (facts.insideTypedArray && isBare(facts)) return { done: `${prefix}{ ${lengthText} }` };
    if (facts.insideTypedArray) return braces(facts, prefix, () => [lengthText]);
    return braces(facts, prefix, () => [...printContents(state, value, length), lengthText]);
  };

  // A view on a detached buffer has no length to read.
  const quietly = (getter, value) => {
    try {
      return apply(getter, value, []);
    } catch {
      return 0;
    }
  };

  const describeDataView = (state, facts) => {
    const { value, name, tag } = facts;
    return braces(facts, prefixOf(name, tag, 'DataView'), (level) => {
      const entries = [
        `byteLength: ${state.paint(numberText(quietly(byteLengthGetters.get('DataView'), value)), 'number')}`,
        `byteOffset: ${state.paint(numberText(quietly(viewOffset, value)), 'number')}`,
      ];
      state.indent += 2;
      entries[2] = `buffer: ${state.print(apply(viewBuffer, value, []), level)}`;
      state.indent -= 2;
      return entries;
    });
  };

  // --- the rest

  const describePromise = (state, facts) =>
    braces(facts, prefixOf(facts.name, facts.tag, 'Promise'), (level) => {
      const [outcome, result] = native.promiseState(facts.value);
      if (outcome === 'pending') return [state.paint('<pending>', 'special')];
      state.indent += 2;
      const text = state.print(result, level);
      state.indent -= 2;
      return [outcome === 'rejected' ? `${state.paint('<rejected>', 'special')} ${text}` : text];
    });

  // Reading a binding before its module has run throws.
  const printBinding = (state, namespace, key, level) => {
    let descriptor;
    try {
      descriptor = getOwnPropertyDescriptor(namespace, key);
    } catch {
      return `${printKey(state, key, false)}: ${state.paint('<uninitialized>', 'special')}`;
    }
    state.indent += 2;
    const text = state.print(descriptor.value, level);
    state.indent -= 2;
    return `${printKey(state, key, false)}: ${text}`;
  };

  const describeModule = (state, facts) => {
    const names = facts.keys.filter((key) => typeof key === 'string');
    const shape = braces(facts, prefixOf(facts.name, facts.tag, 'Module'), (level) =>
      names.map((key) => printBinding(state, facts.value, key, level)));
    return { ...shape, keys: [] };
  };

  const describeArguments = (state, facts) => {
    const prefix = facts.name === null ? '[Arguments: null prototype] ' : '[Arguments] ';
    return isBare(facts) ? { done: `${prefix}{}` } : braces(facts, prefix);
  };

  const describeObject = (state, facts) => {
    const isPlain = facts.name === 'Object' && facts.tag === '';
    const prefix = isPlain ? '' : prefixOf(facts.name, facts.tag, 'Object');
    return isBare(facts) ? { done: `${prefix}{}` } : braces(facts, prefix);
  };

  // Printed as lists and collections only while they can be iterated, as Node does.
  const iterableKinds = new Map([
    ['Array', describeArray],
    ['Set', describeSet],
    ['Map', describeMap],
    ['Map Iterator', describeIterator],
    ['Set Iterator', describeIterator],
  ]);
  const typedArrays = [
    'Uint8Array', 'Uint8ClampedArray', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array',
    'BigUint64Array', 'BigInt64Array', 'Float16Array', 'Float32Array', 'Float64Array',
  ];
  for (const name of typedArrays) {
    iterableKinds.set(name, describeTypedArray);
    bytesPerElement.set(name, globalThis[name]?.BYTES_PER_ELEMENT);
  }

  const otherKinds = new Map([
    ['Arguments', describeArguments],
    ['Function', describeFunction],
    ['AsyncFunction', describeFunction],
    ['GeneratorFunction', describeFunction],
    ['AsyncGeneratorFunction', describeFunction],
    ['RegExp', describeRegExp],
    ['Date', describeDate],
    ['Error', describeErrorObject],
    ['ArrayBuffer', describeBuffer],
    ['SharedArrayBuffer', describeBuffer],
    ['DataView', describeDataView],
    ['Promise', describePromise],
    ['WeakSet', describeWeak],
    ['WeakMap', describeWeak],
    ['Module', describeModule],
    ['Number', describeBoxed],
    ['String', describeBoxed],
    ['Boolean', describeBoxed],
    ['BigInt', describeBoxed],
    ['Symbol', describeBoxed],
  ]);

  // Classes of our own whose state is private: prototype to describer.
  const instanceDescribers = new Map();

  const describeInstances = (prototype, describer) => {
    instanceDescribers.set(prototype, describer);
  };

  // By a describer of the nearest class that has one; it throws for what only inherits from the class.
  const describeInstance = (state, facts) => {
    if (facts.name === 'Object' || facts.name === null) return undefined;
    for (let proto = protoOf(facts.value), hops = 0; proto !== null && hops < 10; proto = protoOf(proto), hops += 1) {
      const describer = instanceDescribers.get(proto);
      if (describer === undefined) continue;
      try {
        return describer(state, facts);
      } catch {
        return undefined;
      }
    }
    return undefined;
  };

  const describe = (state, facts) => {
    const asIterable = iterableKinds.get(facts.kind);
    const isList = asIterable === describeArray || asIterable === describeTypedArray;
    const isIterable = asIterable !== undefined && (facts.name === null || hasIterator(facts.value));
    // The elements of a list are not among its keys: those are counted by the describer.
    if (!(isIterable && isList)) facts.keys = printableKeys(facts.value, state.showHidden);
    if (isIterable) return asIterable(state, facts);
    const describer = otherKinds.get(facts.kind);
    if (describer !== undefined) return describer(state, facts);
    if (typeof facts.value === 'function') return describeFunction(state, { ...facts, kind: 'Function' });
    const instance = describeInstance(state, facts);
    if (instance !== undefined) return instance;
    const isErrorLike = facts.name !== 'Object' && isError(facts.value);
    return (isErrorLike ? describeErrorObject : describeObject)(state, facts);
  };

  return { inspectKinds: { describe, describeInstances } };
})
