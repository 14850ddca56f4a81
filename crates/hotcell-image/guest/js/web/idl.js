// What every web interface of the image has in common: how Web IDL shapes a class and converts arguments.
((kit) => {
  'use strict';
  const { Object, Reflect, String, Symbol, TypeError } = globalThis;

  // Web IDL wants the operations and attributes of a class enumerable and its name in `Symbol.toStringTag`.
  const defineInterface = (constructor, name = constructor.name) => {
    for (const target of [constructor, constructor.prototype]) {
      for (const key of Object.getOwnPropertyNames(target)) {
        const own = Object.getOwnPropertyDescriptor(target, key);
        if (key === 'constructor' || !own.configurable || key === 'name' || key === 'length') continue;
        Object.defineProperty(target, key, { enumerable: true });
      }
    }
    Object.defineProperty(constructor.prototype, Symbol.toStringTag, { value: name, configurable: true });
    return constructor;
  };

  const requireArguments = (owner, needed, given) => {
    if (given < needed) {
      throw new TypeError(`${owner} needs ${needed} argument${needed === 1 ? '' : 's'}, but got ${given}`);
    }
  };

  // USVString: a string in which every lone surrogate has become U+FFFD.
  const toUsvString = (value) => {
    if (typeof value === 'symbol') throw new TypeError('cannot convert a Symbol value to a string');
    return String(value).toWellFormed();
  };

  // A dictionary argument: nothing, or an object whose members are read one by one.
  const toDictionary = (owner, value) => {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' && typeof value !== 'function') {
      throw new TypeError(`${owner}: the options have to be an object, not a ${typeof value}`);
    }
    return value;
  };

  // Iterators of web interfaces stand below %IteratorPrototype%, have no reachable constructor, and look at the list
  // anew at every step, because the list may change while it is walked.
  const iteratorPrototype = Reflect.getPrototypeOf(Reflect.getPrototypeOf([][Symbol.iterator]()));
  const defineListIterator = (name) => {
    class ListIterator {
      #at = 0;
      #list;
      #pick;
      constructor(list, pick) {
        this.#list = list;
        this.#pick = pick;
      }
      next() {
        const list = this.#list();
        if (this.#at >= list.length) return { value: undefined, done: true };
        this.#at += 1;
        return { value: this.#pick(list[this.#at - 1]), done: false };
      }
    }
    const { prototype } = ListIterator;
    delete prototype.constructor;
    Object.setPrototypeOf(prototype, iteratorPrototype);
    Object.defineProperty(prototype, 'next', { enumerable: true });
    Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
    // Nothing exported leads here, so nobody else would freeze it.
    Object.freeze(prototype.next);
    Object.freeze(prototype);
    return (list, pick) => new ListIterator(list, pick);
  };

  return { defineInterface, defineListIterator, requireArguments, toDictionary, toUsvString };
})
