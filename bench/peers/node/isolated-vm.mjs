import ivm from 'isolated-vm';
import { version as of } from '../lib/installed.mjs';

export const title = 'isolated-vm';
export const version = of('isolated-vm');
export const lacks = { loop_guarded: 'no counting', command: 'none' };

export async function create({ memoryMb, timeoutMs, tools }) {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
  const context = await isolate.createContext();
  const { tool, stool } = tools;
  if (stool) await context.global.set('stool', new ivm.Callback(stool));
  if (tool) {
    await context.evalClosure(
      'globalThis.tool = (n) => $0.apply(undefined, [n], { result: { promise: true } })',
      [new ivm.Reference(tool)],
    );
  }
  return {
    run: (code) => context.eval(`(async () => {${code}\n})()`, { timeout: timeoutMs, promise: true, copy: true }),
    drop: () => isolate.dispose(),
  };
}
