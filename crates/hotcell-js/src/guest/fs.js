// `fs`, as far as scripts use it.

class Stats {
  #kind;
  constructor({ kind, ...rest }) {
    this.#kind = kind;
    Object.assign(this, rest);
    for (const time of ['atime', 'mtime', 'ctime']) this[time] = new Date(rest[`${time}Ms`]);
    this.birthtimeMs = rest.ctimeMs;
    this.birthtime = this.ctime;
  }
  isFile = () => this.#kind === 'file';
  isDirectory = () => this.#kind === 'directory';
  isSymbolicLink = () => this.#kind === 'link';
}

class Dirent {
  #kind;
  constructor(name, kind, parent) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    this.#kind = kind;
  }
  isFile = () => this.#kind === 'file';
  isDirectory = () => this.#kind === 'directory';
  isSymbolicLink = () => this.#kind === 'link';
}

function fileOf(path) {
  return typeof path === 'number' ? path : pathOf(path);
}

function exists(path) {
  try {
    call('stat', pathOf(path));
    return true;
  } catch {
    return false;
  }
}

function entriesBelow(path, isRecursive) {
  const found = [];
  const visit = (below) => {
    const whole = below === '' ? path : `${path}/${below}`;
    for (const [name, kind] of call('readdir', whole)) {
      const inside = below === '' ? name : `${below}/${name}`;
      found.push({ inside, dirent: new Dirent(name, kind, whole) });
      if (isRecursive && kind === 'directory') visit(inside);
    }
  };
  visit('');
  return found;
}

function removeAll(path) {
  if (!new Stats(call('lstat', path)).isDirectory()) return call('unlink', path);
  for (const [name] of call('readdir', path)) removeAll(`${path}/${name}`);
  return call('rmdir', path);
}

function copyAll(from, to) {
  const stats = new Stats(call('lstat', from));
  if (stats.isSymbolicLink()) return call('symlink', call('readlink', from), to);
  if (!stats.isDirectory()) return call('copy', from, to);
  call('mkdir', to, true);
  for (const [name] of call('readdir', from)) copyAll(`${from}/${name}`, `${to}/${name}`);
}

function write(operation, path, data, options) {
  call(operation, fileOf(path), dataOf(data), typeof options === 'object' ? options?.mode : undefined);
}

const WRITES = { w: 'write', a: 'append', wx: 'create' };

/** What all of `fs` does, at once. Each comes as `nameSync`, as `name` with a callback, and as `promises.name`. */
const operations = {
  readFile: (path, options) => call('read', fileOf(path), isText(encodingOf(options))),
  writeFile(path, data, options) {
    const operation = WRITES[options?.flag ?? 'w'];
    if (operation === undefined) throw new TypeError(`the flag '${options.flag}' is not supported`);
    write(operation, path, data, options);
  },
  appendFile: (path, data, options) => write('append', path, data, options),
  readdir(path, options) {
    const entries = entriesBelow(pathOf(path), options?.recursive === true);
    entries.sort((a, b) => (a.inside < b.inside ? -1 : 1));
    return entries.map(({ inside, dirent }) => (options?.withFileTypes ? dirent : inside));
  },
  mkdir: (path, options) =>
    call('mkdir', pathOf(path), options?.recursive === true, typeof options === 'number' ? options : options?.mode),
  rmdir: (path, options) => (options?.recursive ? removeAll(pathOf(path)) : call('rmdir', pathOf(path))),
  rm(path, options) {
    if (options?.force && !exists(path)) return;
    if (options?.recursive) removeAll(pathOf(path));
    else call('unlink', pathOf(path));
  },
  unlink: (path) => call('unlink', pathOf(path)),
  rename: (from, to) => call('rename', pathOf(from), pathOf(to)),
  copyFile: (from, to) => call('copy', pathOf(from), pathOf(to)),
  cp(from, to, options) {
    if (!options?.recursive && new Stats(call('stat', pathOf(from))).isDirectory()) {
      throw new TypeError('a directory is copied with { recursive: true }');
    }
    copyAll(pathOf(from), pathOf(to));
  },
  link: (from, to) => call('link', pathOf(from), pathOf(to)),
  symlink: (target, path) => call('symlink', pathOf(target), pathOf(path)),
  readlink: (path) => call('readlink', pathOf(path)),
  realpath: (path) => call('realpath', pathOf(path)),
  stat(path, options) {
    if (options?.throwIfNoEntry === false && !exists(path)) return undefined;
    return new Stats(call('stat', pathOf(path)));
  },
  lstat: (path) => new Stats(call('lstat', pathOf(path))),
  access: (path) => void call('stat', pathOf(path)),
  chmod: (path, mode) => call('chmod', pathOf(path), typeof mode === 'string' ? Number.parseInt(mode, 8) : mode),
  truncate: (path, length = 0) => call('truncate', pathOf(path), length),
  utimes: (path, ...times) => call('utimes', pathOf(path), ...times.map((time) => Number(time) / (time instanceof Date ? 1000 : 1))),
  mkdtemp(prefix) {
    const made = prefix + Math.random().toString(36).slice(2, 8).padEnd(6, '0');
    call('mkdir', made, false, 0o700);
    return made;
  },
};

const fs = { existsSync: exists, constants: { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 }, promises: {} };
for (const [name, operate] of Object.entries(operations)) {
  fs[`${name}Sync`] = operate;
  fs.promises[name] = async (...given) => operate(...given);
  fs[name] = (...given) => {
    const callback = given.pop();
    if (typeof callback !== 'function') throw new TypeError(`fs.${name} takes a callback: use fs.${name}Sync or fs.promises.${name}`);
    waitFor(fs.promises[name](...given).then((value) => callback(null, value), callback));
  };
}
fs.promises.constants = fs.constants;

