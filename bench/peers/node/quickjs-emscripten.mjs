import { getQuickJS } from 'quickjs-emscripten';
import { version as of } from '../lib/installed.mjs';

export const title = 'quickjs-emscripten';
export const version = of('quickjs-emscripten');
export const lacks = { loop_guarded: 'no counting', command: 'none' };

const quickjs = await getQuickJS();

export async function create({ memoryMb, timeoutMs, tools }) {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryMb * 1024 * 1024);
  let deadline = 0;
  runtime.setInterruptHandler(() => Date.now() > deadline);
  const context = runtime.newContext();
  const define = (name, body) => context.newFunction(name, body).consume((handle) => context.setProp(context.global, name, handle));
  const { tool, stool } = tools;
  if (stool) define('stool', (n) => context.newNumber(stool(context.getNumber(n))));
  if (tool) {
    define('tool', (n) => {
      const promise = context.newPromise();
      tool(context.getNumber(n)).then((value) => {
        context.newNumber(value).consume((handle) => promise.resolve(handle));
        promise.dispose();
        runtime.executePendingJobs();
      });
      return promise.handle;
    });
  }
  return {
    async run(code) {
      deadline = Date.now() + timeoutMs;
      using promise = context.unwrapResult(context.evalCode(`(async () => {${code}\n})()`));
      const settled = context.resolvePromise(promise);
      runtime.executePendingJobs();
      return context.unwrapResult(await settled).consume((handle) => context.dump(handle));
    },
    drop() {
      context.dispose();
      runtime.dispose();
    },
  };
}
