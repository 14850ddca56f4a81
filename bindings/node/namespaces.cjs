'use strict';
// Functions of other frameworks under one name, whatever those functions are called.

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** Words that are no names, nor may a tool in a namespace have them for one. */
const RESERVED = /^(?:arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/;

/** A text as a part of an identifier: `my-tool` is `my_tool`. */
function cleaned(name) {
  const plain = name.replace(/[^A-Za-z0-9_$]/g, '_');
  return /^[A-Za-z_$]/.test(plain) ? plain : `_${plain}`;
}

/** What code calls a member: `delete` is `delete_`. */
function identifier(name) {
  if (RESERVED.test(name)) return `${name}_`;
  return IDENTIFIER.test(name) ? name : cleaned(name);
}

/**
 * `members` as `name.member(…)`: tools for `sendTools`, and code to be run before the program where tools alone cannot do it. That
 * is so where the object is `open`: code adds to it.
 */
function namespace(name, members, { open = false } = {}) {
  const entries = new Map();
  for (const key of Object.keys(members)) {
    const inside = identifier(key);
    if (entries.has(inside)) throw new TypeError(`the names ${JSON.stringify(entries.get(inside))} and ${JSON.stringify(key)} are both ${inside} in code`);
    entries.set(inside, key);
  }
  if (!open && entries.size > 0) {
    return { tools: { [name]: Object.fromEntries([...entries].map(([inside, key]) => [inside, members[key]])) }, prelude: '' };
  }
  const globals = [...entries.keys()].map((inside) => [inside, `${name}$${inside}`]);
  const tools = Object.fromEntries(globals.map(([inside, global]) => [global, members[entries.get(inside)]]));
  const made = globals.map(([inside, global]) => `${inside}: (...args) => ${global}(...args)`);
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

module.exports = { IDENTIFIER, anything, cleaned, identifier, namespace };
