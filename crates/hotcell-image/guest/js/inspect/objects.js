// Looking at values without running their code.
//
// The files of the printer and the console run after lockdown, in this order, each given `kit`, its exports merged into
// `kit` for the next ones. For others to use: `kit.inspect`, `kit.format`, `kit.formatWithOptions`, `kit.console`.
//
//     inspect-objects  inspect-text  inspect-layout  inspect-parts  inspect-error  inspect-kinds  inspect-web
//     inspect  format  console-table  console   (.js)
//
// What plain JavaScript cannot see comes from `kit.native`. None of these functions may run user code or throw for any
// argument (running out of memory apart):
//
//   classOf(x)           the engine's own class of an object, which no user code can fake; undefined for a primitive:
//                        'Array' 'Error' 'Date' 'RegExp' 'Map' 'Set' 'WeakMap' 'WeakSet' 'WeakRef' 'Promise'
//                        'Arguments' 'Boolean' 'Number' 'String' 'Symbol' 'BigInt' 'ArrayBuffer' 'SharedArrayBuffer'
//                        'DataView' 'Uint8Array' (… all typed arrays) 'Generator' 'AsyncGenerator' 'Function'
//                        'GeneratorFunction' 'AsyncFunction' 'AsyncGeneratorFunction' 'Map Iterator' 'Set Iterator'
//                        'Module' (a namespace object); anything for the rest, which print as plain objects
//   proxyTarget(x)       [target, handler]; [null, null] if revoked; undefined if not a Proxy
//   promiseState(x)      ['pending' | 'fulfilled' | 'rejected', value]; undefined if not a Promise
//   previewEntries(x)    what a Map or Set iterator would still give, the iterator unmoved: { entries, isKeyValue };
//                        key, value, key, value… in one list if isKeyValue; undefined for anything else
//   ownNonIndexKeys(x)   own keys (strings, then symbols) of an array or typed array without its indices; undefined for
//                        anything else. Optional: without it a list of a million numbers costs a million strings
//   now()                milliseconds, or undefined when the clock is off (web/console.js)
//   log(level, text)     one message; level is 'log' | 'info' | 'warn' | 'error' (web/console.js)
((kit) => {
  'use strict';
  const { native } = kit;
  const { Boolean, Object, Reflect, Set, String, Symbol, WeakMap } = globalThis;
  const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys, apply } = Reflect;
  const { hasOwn } = Object;
  const ErrorConstructor = globalThis.Error;

  // A chain through a Proxy may be a cycle: the language's own check stops at a Proxy.
  const LONGEST_CHAIN = 1000;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // The object behind any number of proxies; null if one of them is revoked.
  const unwrap = (value) => {
    let inner = value;
    let parts = native.proxyTarget(inner);
    while (parts !== undefined) {
      [inner] = parts;
      parts = native.proxyTarget(inner);
    }
    return inner;
  };

  const protoOf = (object) => {
    const proto = getPrototypeOf(object);
    return proto === null ? null : unwrap(proto);
  };

  // The descriptor of a property, own or inherited; traps do not run.
  const lookup = (object, key) => {
    let holder = unwrap(object);
    for (let hops = 0; holder !== null && hops < LONGEST_CHAIN; hops += 1) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor !== undefined) return descriptor;
      holder = protoOf(holder);
    }
    return undefined;
  };

  // Reads a property where Node reads it plainly (a tag, a name, a stack). A getter runs, but cannot make this throw.
  const read = (object, key) => {
    try {
      const descriptor = lookup(object, key);
      if (descriptor === undefined) return undefined;
      if (descriptor.get !== undefined) return apply(descriptor.get, object, []);
      return descriptor.value;
    } catch {
      return undefined;
    }
  };

  // String(value) that cannot throw: user code may be behind toString.
  const toText = (value, fallback = '') => {
    try {
      return String(value);
    } catch {
      return fallback;
    }
  };

  // The names of the language's own classes: lockdown put another constructor on the prototypes of some.
  const intrinsicNames = new WeakMap();
  const intrinsicClasses = [
    'Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Date', 'Promise', 'RegExp',
    'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError',
    'InternalError', 'SuppressedError', 'DOMException', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Map', 'Set',
    'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Uint8Array', 'Uint8ClampedArray', 'Int8Array',
    'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'BigUint64Array', 'BigInt64Array', 'Float16Array',
    'Float32Array', 'Float64Array', 'DisposableStack', 'AsyncDisposableStack',
  ];
  for (const name of intrinsicClasses) {
    const proto = globalThis[name]?.prototype;
    if (proto !== undefined) intrinsicNames.set(proto, name);
  }
  intrinsicNames.set(getPrototypeOf(globalThis.Uint8Array.prototype), 'TypedArray');
  intrinsicNames.set(getPrototypeOf(async () => {}), 'AsyncFunction');
  intrinsicNames.set(getPrototypeOf(function* () {}), 'GeneratorFunction');
  intrinsicNames.set(getPrototypeOf(async function* () {}), 'AsyncGeneratorFunction');

  // Node's list of built-in classes is that of the global names, which async and generator functions are not among.
  const hasNoGlobalName = new Set([
    'SharedArrayBuffer', 'TypedArray', 'AsyncFunction', 'GeneratorFunction', 'AsyncGeneratorFunction',
  ]);
  // They show nothing in Node and name no class: what is an iterator is an Object there.
  const silentPrototypes = new Set([
    getPrototypeOf(getPrototypeOf([][Symbol.iterator]())),
    getPrototypeOf(getPrototypeOf(async function* () {}.prototype)),
  ]);
  const isBuiltInPrototype = (object) => {
    if (silentPrototypes.has(object)) return true;
    const name = intrinsicNames.get(object);
    return name !== undefined && !hasNoGlobalName.has(name);
  };

  const inheritsFrom = (value, constructor) => {
    const descriptor = lookup(constructor, 'prototype');
    if (descriptor === undefined || !isObject(descriptor.value)) return false;
    const wanted = unwrap(descriptor.value);
    if (wanted === null) return false;
    let proto = protoOf(value);
    for (let hops = 0; proto !== null && hops < LONGEST_CHAIN; hops += 1) {
      if (proto === wanted) return true;
      proto = protoOf(proto);
    }
    return false;
  };

  // The name a holder gives as class of `value`, or undefined if it gives none.
  const classNameFrom = (value, holder) => {
    const known = intrinsicNames.get(holder);
    if (known !== undefined) return holder === value ? undefined : known;
    if (silentPrototypes.has(holder)) return undefined;
    if (!hasOwn(holder, 'constructor')) return undefined;
    const descriptor = getOwnPropertyDescriptor(holder, 'constructor');
    if (typeof descriptor.value !== 'function') return undefined;
    const name = read(descriptor.value, 'name');
    if (name === '' || name === undefined) return undefined;
    return inheritsFrom(value, descriptor.value) ? toText(name) : undefined;
  };

  // The nearest class name up the chain, or undefined.
  const classNameOf = (value) => {
    let holder = value;
    for (let hops = 0; holder !== null && hops < LONGEST_CHAIN; hops += 1) {
      const name = classNameFrom(value, holder);
      if (name !== undefined) return name;
      holder = protoOf(holder);
    }
    return undefined;
  };

  // Lockdown froze these: plain objects and arrays inherit no tag, and arrays inherit their iterator.
  const objectPrototype = Object.prototype;
  const arrayPrototype = globalThis.Array.prototype;

  const tagOf = (value) => {
    const proto = getPrototypeOf(value);
    const isPlain = proto === objectPrototype || proto === arrayPrototype;
    if (isPlain && !hasOwn(value, Symbol.toStringTag)) return '';
    const tag = read(value, Symbol.toStringTag);
    return typeof tag === 'string' ? tag : '';
  };

  // Made by an Error constructor, or only inheriting from one as classes written without `class` do.
  const isError = (object) => native.classOf(object) === 'Error' || inheritsFrom(object, ErrorConstructor);

  const isEnumerable = (object, key) => getOwnPropertyDescriptor(object, key)?.enumerable === true;

  const isIndex = (key) => {
    if (typeof key !== 'string' || key.length > 10) return false;
    const number = key >>> 0;
    return `${number}` === key && number !== 4294967295;
  };

  // Indices come first in ownKeys: walking from the back stops at the first one.
  const withoutIndices = (keys) => {
    let start = keys.length;
    while (start > 0 && !isIndex(keys[start - 1])) start -= 1;
    return start === 0 ? keys : keys.slice(start);
  };

  // Keys to print. Namespaces throw from Object.keys when a binding is not initialised yet, hence ownKeys for them.
  const printableKeys = (object, showHidden) => {
    if (showHidden || native.classOf(object) === 'Module') return ownKeys(object);
    const keys = Object.keys(object);
    const symbols = Object.getOwnPropertySymbols(object);
    for (const symbol of symbols) {
      if (isEnumerable(object, symbol)) keys[keys.length] = symbol;
    }
    return keys;
  };

  // The same for a list, its elements left out.
  const printableListKeys = (list, showHidden) => {
    const keys = native.ownNonIndexKeys?.(list) ?? withoutIndices(ownKeys(list));
    return showHidden ? keys : keys.filter((key) => isEnumerable(list, key));
  };

  // Whether Node would take the value for a list or a collection: by having an iterator.
  const hasIterator = (value) => {
    if (getPrototypeOf(value) === arrayPrototype && !hasOwn(value, Symbol.iterator)) return true;
    const descriptor = lookup(value, Symbol.iterator);
    return descriptor !== undefined && (descriptor.get !== undefined || Boolean(descriptor.value));
  };

  return {
    inspectObjects: {
      classOf: native.classOf,
      classNameOf,
      hasIterator,
      hasOwn,
      isEnumerable,
      isError,
      isBuiltInPrototype,
      isObject,
      lookup,
      printableKeys,
      printableListKeys,
      protoOf,
      read,
      tagOf,
      toText,
      unwrap,
    },
  };
})
