// `error.stack` as programs expect it: first what happened, then where. The engine's has only the frames, so that code
// which prints the stack of what it caught would not tell why.
((kit) => {
  'use strict';
  const { defineProperty, getOwnPropertyDescriptor } = globalThis.Object;
  const { apply } = globalThis.Reflect;
  const { get: frames, set } = getOwnPropertyDescriptor(globalThis.Error.prototype, 'stack');

  // (error, frames) => text, once the library that prints errors is there.
  let compose = (error, text) => text;

  const { get } = getOwnPropertyDescriptor({
    get stack() {
      const text = apply(frames, this, []);
      return typeof text === 'string' ? compose(this, text) : text;
    },
  }, 'stack');
  defineProperty(globalThis.Error.prototype, 'stack', { get, set, enumerable: false, configurable: true });

  return {
    errorStack: {
      composeWith(composer) {
        compose = composer;
      },
    },
  };
})
