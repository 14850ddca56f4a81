// `path`, as Node has it for systems with slashes.

function normalizeParts(path, isAbsolute) {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isAbsolute) parts.push('..');
  }
  return parts.join('/');
}

const path = {
  sep: '/',
  delimiter: ':',
  isAbsolute: (path) => path.startsWith('/'),
  normalize(path) {
    const isAbsolute = path.startsWith('/');
    const parts = normalizeParts(path, isAbsolute);
    const end = path.endsWith('/') && parts !== '' ? '/' : '';
    return isAbsolute ? `/${parts}${end}` : parts + end || (end === '' && path.endsWith('/') ? './' : '.');
  },
  join: (...parts) => path.normalize(parts.filter((part) => part !== '').join('/') || '.'),
  resolve(...parts) {
    let whole = '';
    for (let i = parts.length - 1; i >= 0 && !whole.startsWith('/'); i--) {
      if (parts[i] !== '') whole = whole === '' ? parts[i] : `${parts[i]}/${whole}`;
    }
    if (!whole.startsWith('/')) whole = `${call('cwd')}/${whole}`;
    return `/${normalizeParts(whole, true)}`;
  },
  dirname(path) {
    const trimmed = path.replace(/\/+$/, '');
    if (trimmed === '') return path.startsWith('/') ? '/' : '.';
    const at = trimmed.lastIndexOf('/');
    if (at < 0) return '.';
    return trimmed.slice(0, at).replace(/\/+$/, '') || '/';
  },
  basename(path, ending = '') {
    const name = path.replace(/\/+$/, '').split('/').pop();
    return ending !== '' && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  },
  extname(path) {
    const name = path.replace(/\/+$/, '').split('/').pop();
    const at = name.lastIndexOf('.');
    return at > 0 && name !== '..' ? name.slice(at) : '';
  },
  relative(from, to) {
    const start = path.resolve(from).split('/').filter(Boolean);
    const end = path.resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < start.length && start[same] === end[same]) same++;
    return [...start.slice(same).map(() => '..'), ...end.slice(same)].join('/');
  },
  parse(whole) {
    const base = path.basename(whole);
    const ext = path.extname(whole);
    const root = whole.startsWith('/') ? '/' : '';
    const dir = whole.includes('/') ? path.dirname(whole) : '';
    return { root, dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
  },
  format({ root = '', dir = root, name = '', ext = '', base = name + ext }) {
    if (dir === '') return base;
    return dir === root ? dir + base : `${dir}/${base}`;
  },
};
path.posix = path;

