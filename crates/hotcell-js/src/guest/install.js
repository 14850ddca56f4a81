// What the code sees of it. All of it can be declared anew: `const fs = require('fs')`.

const seen = { fs, path, process, tools, require: requireFrom(__js_directory), ...timerFunctions, __js_settle: settle };
for (const [name, value] of Object.entries(seen)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

const isName = (name) => /^[A-Za-z_$][\w$]*$/.test(name);
return Object.fromEntries(Object.entries(modules).map(([name, module]) => [name, Object.keys(module).filter(isName)]));
