// What every peer runs. The JavaScript is the body of an async function, so `return` and `await` work; the Python does the
// same work, its value being the last expression. `$n` becomes a number that no earlier run had.

export const CALLS = 1000;

export const first = { js: 'return 1 + 1', py: '1 + 1', value: 2 };

export const tiny = { js: 'const x = 40; return x + 2', py: 'x = 40\nx + 2', value: 42 };

export const tinyNew = { js: 'const x = $n; return x - $n + 42', py: 'x = $n\nx - $n + 42', value: 42 };

// `tool` and `stool` answer with their argument plus one, the first through a promise.
export const asyncCalls = {
  js: `let sum = 0; for (let i = 0; i < ${CALLS}; i++) sum += await tool(i); return sum`,
  py: `async def calls():
    total = 0
    for i in range(${CALLS}):
        total += await tool(i)
    return total
await calls()`,
  value: (CALLS * (CALLS + 1)) / 2,
};

export const syncCalls = {
  js: `let sum = 0; for (let i = 0; i < ${CALLS}; i++) sum += stool(i); return sum`,
  py: `total = 0
for i in range(${CALLS}):
    total += stool(i)
total`,
  value: (CALLS * (CALLS + 1)) / 2,
};

export const fib = {
  js: 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(30)',
  py: 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(30)',
  value: 832040,
};

export const loop = {
  js: 'let s = 0; for (let i = 0; i < 10000000; i++) { s = (s + i) | 0 } return s',
  py: 's = 0\nfor i in range(10000000):\n    s = (s + i) & 0xffffffff\ns',
};

export const json = {
  setup: {
    js: `globalThis.blob = JSON.stringify(Array.from({ length: 8300 }, (_, i) => ({
      id: i, name: 'user' + i, tags: ['a', 'b', 'c'], score: i * 1.5, active: i % 2 === 0, nested: { x: i, y: [1, 2, 3] },
    }))); return 0`,
    py: `import json
blob = json.dumps([
    {'id': i, 'name': 'user' + str(i), 'tags': ['a', 'b', 'c'], 'score': i * 1.5, 'active': i % 2 == 0,
     'nested': {'x': i, 'y': [1, 2, 3]}}
    for i in range(8300)
])`,
  },
  js: 'return JSON.stringify(JSON.parse(blob)).length > 0.9e6',
  py: 'len(json.dumps(json.loads(blob))) > 0.9e6',
  value: true,
};

export const sort = {
  setup: {
    js: `let seed = 12345
    globalThis.numbers = Array.from({ length: 200000 }, () => (seed = (seed * 1103515245 + 12345) % 2147483648)); return 0`,
    py: `numbers = []
seed = 12345
for _ in range(200000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    numbers.append(seed)`,
  },
  js: 'const sorted = numbers.slice().sort((a, b) => a - b); return sorted[100] <= sorted[101]',
  py: 's = sorted(numbers, key=lambda n: n)\ns[100] <= s[101]',
  value: true,
};

export const concat = {
  js: "let s = ''; for (let i = 0; i < 1000000; i++) { s += 'x' } return s.length",
  py: "s = ''\nfor _ in range(1000000):\n    s += 'x'\nlen(s)",
  value: 1000000,
};

// What an executor holds that has done a little work.
export const state = {
  js: "globalThis.user = { name: 'Ada', tags: new Set(['a']) }; globalThis.list = [1, 2, 3]; return list.length",
  py: "user = {'name': 'Ada', 'tags': {'a'}}\nlist_ = [1, 2, 3]\nlen(list_)",
  value: 3,
};

export const endless = { js: 'while (true) {}', py: 'while True:\n    pass' };

export const smallBlocks = {
  js: 'const kept = []; while (true) kept.push(new Array(10000).fill(1.5))',
  py: 'kept = []\nwhile True:\n    kept.append([1.5] * 10000)',
};

export const largeBlocks = {
  js: 'const kept = []; while (true) kept.push(new Array(200000).fill(1.5))',
  py: 'kept = []\nwhile True:\n    kept.append([1.5] * 200000)',
};

export const regex = {
  js: "return /(a+)+$/.test('a'.repeat(40) + 'b')",
  py: "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b') is None",
};

export const fill = { js: 'return Array(1e9).fill(0).length', py: 'len([0] * 10**9)' };
