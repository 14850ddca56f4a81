// Tools whose answers become something else on their way in.
(() => {
  'use strict';
  const { JSON, SyntaxError } = globalThis;

  // An async iterator over what is on pages. A page is `{ items, next }`: `next` is what to call the tool with for the page after
  // it, or undefined.
  async function* itemsOf(tool, args) {
    let page = await tool(...args);
    for (;;) {
      for (const item of page.items) yield item;
      if (page.next === undefined) return;
      page = await tool(page.next);
    }
  }

  // The program's own copy, which it may change, and which counts as its memory.
  async function valueOf(tool, name, args) {
    const text = await tool(...args);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new SyntaxError(`${name} found no JSON: ${error.message}`);
    }
  }

  const makePages = (tool, name) => harden({ [name]: (...args) => itemsOf(tool, args) }[name]);
  const makeJson = (tool, name) => harden({ [name]: (...args) => valueOf(tool, name, args) }[name]);

  return { makePages, makeJson };
});
