import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where cargo puts what it builds. */
export const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../../target', import.meta.url));

export const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The version of an installed package. */
export const version = (name) => JSON.parse(readFileSync(`${modules}${name}/package.json`, 'utf8')).version;
