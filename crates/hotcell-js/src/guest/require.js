// `require`: the modules made here, and files.

/** The file tools, on the working directory. */
const tools = {};
for (const name of ['read', 'write', 'edit', 'grep', 'find', 'ls']) tools[name] = (...given) => call('tool', name, ...given);

const os = {
  EOL: '\n',
  platform: () => 'linux',
  type: () => 'Linux',
  tmpdir: () => process.env.TMPDIR ?? '/tmp',
  homedir: () => process.env.HOME ?? '/',
  hostname: () => 'hotcell',
  cpus: () => [],
};

const modules = { fs, 'fs/promises': fs.promises, path, process, os, tools, timers: timerFunctions, 'timers/promises': timersPromises };
const loaded = new Map();

function fileOfModule(name, directory) {
  const whole = name.startsWith('/') ? name : path.join(directory, name);
  for (const ending of ['', '.js', '.cjs', '.json', '/index.js']) {
    const file = whole + ending;
    if (exists(file) && new Stats(call('stat', file)).isFile()) return file;
  }
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
}

function load(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {}, id: file, filename: file };
  loaded.set(file, module);
  try {
    const text = call('read', file, true);
    if (file.endsWith('.json')) module.exports = JSON.parse(text);
    else {
      const directory = path.dirname(file);
      const run = new Function('module', 'exports', 'require', '__filename', '__dirname', text);
      run.call(module.exports, module, module.exports, requireFrom(directory), file, directory);
    }
  } catch (error) {
    loaded.delete(file);
    throw error;
  }
  return module.exports;
}

function requireFrom(directory) {
  return (name) => {
    const plain = name.replace(/^node:/, '');
    if (Object.hasOwn(modules, plain)) return modules[plain];
    if (!/^\.{0,2}\//.test(name)) {
      const known = Object.keys(modules).join(', ');
      const message = `Cannot find module '${name}': there are ${known}, and files by names that begin with ./ or /`;
      throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
    }
    return load(fileOfModule(name, directory));
  };
}

