'use strict';
// Modules that are made of functions and values of the host's.

const { NativeModules } = require('./native.cjs');
const { complain } = require('./options.cjs');
const { ToolSet, add } = require('./tools.cjs');

/** Sources, and what the others are made of: a set of functions, and a function that makes what native code is given. */
function sortOut(modules) {
  if (modules === undefined || modules === null) return { sources: modules, made: undefined };
  if (typeof modules !== 'object' || Array.isArray(modules)) throw new TypeError('option modules must be an object of modules by name');
  const sources = {};
  const others = {};
  for (const [name, module] of Object.entries(modules)) {
    if (typeof module === 'object' && module !== null && !Array.isArray(module)) others[name] = module;
    // What is neither is told by whoever reads the options.
    else sources[name] = module;
  }
  if (Object.keys(others).length === 0) return { sources, made: undefined };
  return { sources, made: new HostModules(others) };
}

class HostModules {
  #modules;
  set;

  constructor(modules) {
    this.#modules = modules;
    this.set = new ToolSet();
    for (const [module, members] of Object.entries(modules)) {
      for (const [name, member] of Object.entries(members)) {
        if (isFunction(member)) add(this.set, `${module}#${name}`, member, members);
      }
    }
  }

  /** The same for another executor. */
  copy() {
    return new HostModules(this.#modules);
  }

  /** What native code is given. */
  native() {
    const values = [];
    const names = [];
    const specs = Object.entries(this.#modules).map(([name, members]) => {
      const plain = Object.keys(members).filter((key) => !isFunction(members[key]));
      for (const key of plain) {
        values.push(members[key]);
        names.push(`${name}.${key}`);
      }
      const functions = this.set.specs.filter((spec) => spec.name.startsWith(`${name}#`));
      return { name, functions: JSON.stringify(functions), values: plain };
    });
    const { pack } = require('./pack.cjs');
    return pack(values, names, (...pieces) => complain(() => new NativeModules(JSON.stringify(specs), this.set.id, ...pieces)));
  }
}

function isFunction(member) {
  return typeof member === 'function' || (typeof member === 'object' && member !== null && typeof member.execute === 'function');
}

module.exports = { sortOut };
