// Last: what the library exports becomes global, and nothing of the making of it stays behind.
'use strict';

{
  const { kit } = globalThis.hotcellBoot;
  delete globalThis.hotcellBoot;
  delete globalThis.console;

  kit.native.register(
    harden((value) => kit.inspect(value)),
    harden(async (value) => ({ value: await value })),
    harden(kit.makePages),
    harden(kit.makeJson),
  );

  // Writable and configurable like every standard global: a program may shadow them for itself.
  for (const name of ['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'Intl', 'console']) {
    if (name in kit) {
      Object.defineProperty(globalThis, name, {
        value: harden(kit[name]),
        writable: true,
        enumerable: name === 'console',
        configurable: true,
      });
    }
  }
  // SES hardens what it knows. The engine has more: InternalError, DisposableStack, queueMicrotask and their like.
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (name !== 'globalThis') harden(globalThis[name]);
  }
  Object.defineProperty(globalThis, 'structuredClone', {
    value: harden(kit.native.structuredClone),
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
