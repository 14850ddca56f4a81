// inspect(value, options): a value as text, as Node 20's util.inspect prints it.
//
// Options: depth, showHidden, showProxy, colors, maxArrayLength, maxStringLength, breakLength, compact, sorted, with
// Node's defaults; null lifts a limit. What differs from Node, on purpose: `Symbol(nodejs.util.inspect.custom)` is not
// honoured (a value does not choose how it is logged), traps of a Proxy never run, nothing thrown by a value escapes,
// the contents of weak collections are never shown, and a text of millions of characters is abbreviated.
((kit) => {
  'use strict';
  const { native } = kit;
  const { layOut } = kit.inspectLayout;
  const { describe } = kit.inspectKinds;
  const { classNameOf, hasOwn, isBuiltInPrototype, isEnumerable, isObject } = kit.inspectObjects;
  const { protoOf, read, tagOf, unwrap } = kit.inspectObjects;
  const { prefixOf, printOwn, printPrimitive, printProperty, spend } = kit.inspectParts;
  const { paintColour, paintPlain } = kit.inspectText;
  const { Infinity, Map, Math, Number, Object, Reflect, Set, Symbol } = globalThis;
  const { getOwnPropertyDescriptor, ownKeys } = Reflect;

  const DEFAULTS = Object.freeze({
    depth: 2,
    showHidden: false,
    showProxy: false,
    colors: false,
    maxArrayLength: 100,
    maxStringLength: 10000,
    breakLength: 80,
    compact: 3,
    sorted: false,
  });
  // Enough of a state for the primitives that need no care.
  const PLAIN = Object.freeze({ ...DEFAULTS, indent: 0, paint: paintPlain });
  const OPTION_NAMES = Object.keys(DEFAULTS);
  const LIMITS = new Set(['depth', 'maxArrayLength', 'maxStringLength', 'breakLength']);

  // null means no limit; what is not a number is no answer.
  const limitFrom = (given, fallback) => {
    if (given === null) return Infinity;
    return typeof given === 'number' && !Number.isNaN(given) ? Math.floor(given) : fallback;
  };

  const settle = (options) => {
    const settled = { ...DEFAULTS };
    if (!isObject(options)) return settled;
    for (const name of OPTION_NAMES) {
      const given = read(options, name);
      if (given === undefined) continue;
      settled[name] = LIMITS.has(name) ? limitFrom(given, DEFAULTS[name]) : given;
    }
    return settled;
  };

  const begin = (options) => {
    const state = settle(options);
    state.indent = 0;
    state.deepest = 0;
    state.spent = 0;
    state.seen = [];
    state.references = undefined;
    state.abbreviated = undefined;
    state.paint = state.colors ? paintColour : paintPlain;
    state.print = (value, level, insideTypedArray) => print(state, value, level, insideTypedArray === true);
    return state;
  };

  const print = (state, value, level, insideTypedArray) => {
    if (!isObject(value)) return printPrimitive(state, value);
    const target = unwrap(value);
    if (target === null) return state.paint('<Revoked Proxy>', 'special');
    if (target !== value && state.showProxy) return printProxy(state, value, level);
    if (state.seen.includes(target)) return printReference(state, target);
    return printObject(state, target, level, insideTypedArray);
  };

  const printProxy = (state, proxy, level) => {
    if (level > state.depth) return state.paint('Proxy [Array]', 'special');
    const [target, handler] = native.proxyTarget(proxy);
    state.indent += 2;
    const entries = [state.print(target, level + 1), state.print(handler, level + 1)];
    state.indent -= 2;
    return layOut(state, entries, { base: '', open: 'Proxy [', close: ']', isList: true, keys: [] }, level + 1);
  };

  const printReference = (state, target) => {
    state.references ??= new Map();
    let number = state.references.get(target);
    if (number === undefined) {
      number = state.references.size + 1;
      state.references.set(target, number);
    }
    return state.paint(`[Circular *${number}]`, 'special');
  };

  // An enumerable own tag is printed as a property already.
  const shownTagOf = (state, value) => {
    const tag = tagOf(value);
    if (tag === '') return '';
    const isShown = state.showHidden ? hasOwn : isEnumerable;
    return isShown(value, Symbol.toStringTag) ? '' : tag;
  };

  // A class name, null without a prototype, or a description of a chain that names no class.
  const nameOf = (state, value, level) => {
    const name = classNameOf(value);
    if (name !== undefined) return name;
    const proto = protoOf(value);
    if (proto === null) return null;
    const kind = native.classOf(value);
    if (level > state.depth) return `${kind} <Complex prototype>`;
    const protoName = nameOf(state, proto, level + 1);
    if (protoName !== null) return `${kind} <${protoName}>`;
    return `${kind} <${inspectWith({ ...state, depth: -1 }, proto)}>`;
  };

  // With showHidden, accessors and data of up to three prototypes that are not the language's own.
  const inheritedEntries = (state, value, level) => {
    const entries = [];
    const known = new Set(ownKeys(value));
    known.add('constructor');
    let proto = protoOf(value);
    state.seen[state.seen.length] = value;
    for (let depth = 0; depth < 3 && proto !== null && !isBuiltInPrototype(proto); depth += 1) {
      for (const key of ownKeys(proto)) {
        if (known.has(key)) continue;
        known.add(key);
        const descriptor = getOwnPropertyDescriptor(proto, key);
        if (typeof descriptor.value === 'function') continue;
        const text = printProperty(state, key, descriptor, level, false);
        entries[entries.length] = state.colors ? `\x1b[2m${text}\x1b[22m` : text;
      }
      proto = protoOf(proto);
    }
    state.seen.length -= 1;
    return entries.length === 0 ? undefined : entries;
  };

  const sortEntries = (state, shape, entries) => {
    const order = typeof state.sorted === 'function' ? state.sorted : undefined;
    if (!shape.isList) return entries.sort(order);
    const firstKey = entries.length - shape.keys.length;
    return [...entries.slice(0, firstKey), ...entries.slice(firstKey).sort(order)];
  };

  const entriesOf = (state, value, shape, extras, level) => {
    const entries = shape.body(level);
    for (const key of shape.keys) entries[entries.length] = printOwn(state, value, key, level, shape.isList);
    return extras === undefined ? entries : [...entries, ...extras];
  };

  const isStackOverflow = (error) => {
    const message = isObject(error) ? read(error, 'message') : undefined;
    return typeof message === 'string' && /stack (?:size|overflow)|too much recursion/i.test(message);
  };

  // Too deep: the class only. A null prototype brings brackets of its own. Remembered, because listing the keys of one
  // large object again for each reference to it would take for ever.
  const abbreviate = (state, facts) => {
    const label = prefixOf(facts.name, facts.tag, facts.kind).slice(0, -1);
    const text = state.paint(facts.name === null ? label : `[${label}]`, 'special');
    state.abbreviated ??= new Map();
    state.abbreviated.set(facts.value, text);
    return text;
  };

  const printObject = (state, value, level, insideTypedArray) => {
    const isTooDeep = level > state.depth;
    const remembered = isTooDeep ? state.abbreviated?.get(value) : undefined;
    if (remembered !== undefined) return remembered;

    const kind = native.classOf(value);
    const name = nameOf(state, value, level);
    const tag = shownTagOf(state, value);
    const facts = { value, kind, name, tag, keys: [], extras: undefined, level, insideTypedArray };
    if (state.showHidden && !isTooDeep) facts.extras = inheritedEntries(state, value, level);
    const shape = describe(state, facts);
    if (shape.done !== undefined) return shape.done;
    if (isTooDeep) return abbreviate(state, facts);

    const inner = level + 1;
    const { indent } = state;
    const seenBefore = state.seen.length;
    state.seen[seenBefore] = value;
    state.deepest = inner;
    let entries;
    try {
      entries = entriesOf(state, value, shape, facts.extras, inner);
    } catch (error) {
      if (!isStackOverflow(error)) throw error;
      // Deeper calls left the state where they were.
      state.indent = indent;
      state.seen.length = seenBefore;
      const label = prefixOf(name, tag, 'Object').slice(0, -1);
      return state.paint(
        `[${label}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
    }
    state.seen.length = seenBefore;
    const text = finish(state, value, shape, entries, inner);
    spend(state, text.length);
    return text;
  };

  const finish = (state, value, shape, entries, level) => {
    let { base, open } = shape;
    const number = state.references?.get(value);
    if (number !== undefined) {
      const reference = state.paint(`<ref *${number}>`, 'special');
      if (state.compact === true) open = `${reference} ${open}`;
      else base = base === '' ? reference : `${reference} ${base}`;
    }
    const ordered = state.sorted ? sortEntries(state, shape, entries) : entries;
    return layOut(state, ordered, { ...shape, base, open }, level, shape.list);
  };

  const inspectWith = (options, value) => {
    const state = begin(options);
    return print(state, value, 0, false);
  };

  // The last resort: out of memory, out of stack at the very top, a comparator that throws.
  const describeFailure = (value) => {
    try {
      return `[${native.classOf(value) ?? typeof value}: could not be printed]`;
    } catch {
      return '[value could not be printed]';
    }
  };

  const inspect = (value, options) => {
    if (!isObject(value) && options === undefined && typeof value !== 'string') return printPrimitive(PLAIN, value);
    try {
      return inspectWith(options, value);
    } catch {
      return describeFailure(value);
    }
  };

  return { inspect };
})
