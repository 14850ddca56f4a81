// Puts our locale methods on the intrinsics. Runs last before `lockdown()`, which has to be told not to replace them
// (`localeTaming: 'unsafe'`); it freezes them with everything else.
((kit) => {
  'use strict';
  const { Object, Reflect, Uint8Array } = globalThis;

  const prototypeAt = (path) =>
    path === '%TypedArray%.prototype'
      ? Reflect.getPrototypeOf(Uint8Array.prototype)
      : globalThis[path.slice(0, path.indexOf('.'))].prototype;

  for (const path of Object.keys(kit.localeMethods)) {
    const methods = kit.localeMethods[path];
    for (const name of Object.keys(methods)) {
      Object.defineProperty(prototypeAt(path), name, {
        value: methods[name],
        writable: true,
        enumerable: false,
        configurable: true,
      });
    }
  }

  return {};
})
