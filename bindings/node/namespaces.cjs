'use strict';
// Functions of other frameworks under one name, whatever those functions are called.

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** What a text is as an identifier: `my-tool` is `my_tool`. */
function identifier(name) {
  const cleaned = name.replace(/[^A-Za-z0-9_$]/g, '_');
  return /^[A-Za-z_$]/.test(cleaned) ? cleaned : `_${cleaned}`;
}

/**
 * `members` as `name.member(…)`: tools for `sendTools`, and code to be run before the program where tools alone cannot do it. That
 * is so for names that are no identifiers, which code finds under both names, and where the object is `open`: code adds to it.
 */
function namespace(name, members, { open = false } = {}) {
  const keys = Object.keys(members);
  if (!open && keys.length > 0 && keys.every((key) => IDENTIFIER.test(key))) return { tools: { [name]: { ...members } }, prelude: '' };
  const tools = {};
  const entries = new Map();
  keys.forEach((key, index) => {
    const global = `${name}$${index}`;
    tools[global] = members[key];
    entries.set(key, global);
  });
  for (const key of keys) {
    const plain = identifier(key);
    if (plain === key) continue;
    const other = keys.find((one) => one !== key && identifier(one) === plain);
    if (other !== undefined) throw new TypeError(`the names ${JSON.stringify(key)} and ${JSON.stringify(other)} are both ${plain} in code`);
    entries.set(plain, entries.get(key));
  }
  const made = [...entries].map(([key, global]) => `${JSON.stringify(key)}: (...args) => ${global}(...args)`);
  const object = `{ __proto__: null, ${made.join(', ')} }`;
  return { tools, prelude: `globalThis.${name} = ${open ? object : `Object.freeze(${object})`};\n` };
}

/** An object whose members are not known: code that calls one calls `ask(member, argument)`. */
function anything(name, ask) {
  const global = `${name}$any`;
  const prelude = `globalThis.${name} = new Proxy(Object.freeze({ __proto__: null }), {
  get: (_, key) => (typeof key === 'string' && key !== 'then' ? (...args) => ${global}(key, args[0]) : undefined),
});\n`;
  return { tools: { [global]: ask }, prelude };
}

module.exports = { IDENTIFIER, anything, identifier, namespace };
