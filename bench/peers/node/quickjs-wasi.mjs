import { readFileSync } from 'node:fs';
import { QuickJS } from 'quickjs-wasi';
import { modules, version as of } from '../lib/installed.mjs';

export const title = 'quickjs-wasi';
export const version = of('quickjs-wasi');
export const lacks = { loop_guarded: 'no counting', command: 'none' };

const wasm = await WebAssembly.compile(readFileSync(`${modules}quickjs-wasi/quickjs.wasm`));

export async function create({ memoryMb, timeoutMs, tools }) {
  let deadline = 0;
  const vm = await QuickJS.create({
    wasm, memoryLimit: memoryMb * 1024 * 1024, interruptHandler: () => Date.now() > deadline,
  });
  const define = (name, body) => vm.newFunction(name, body).consume((handle) => vm.setProp(vm.global, name, handle));
  const { tool, stool } = tools;
  if (stool) define('stool', (n) => vm.newNumber(stool(n.toNumber())));
  if (tool) {
    define('tool', (n) => {
      const promise = vm.newPromise();
      tool(n.toNumber()).then((value) => {
        promise.resolve(vm.newNumber(value));
        vm.executePendingJobs();
      });
      return promise.handle;
    });
  }
  return {
    async run(code) {
      deadline = Date.now() + timeoutMs;
      using promise = vm.evalCode(`(async () => {${code}\n})()`);
      vm.executePendingJobs();
      const settled = await vm.resolvePromise(promise);
      if (settled.error) throw new Error(settled.error.consume((handle) => handle.toString()));
      return settled.value.consume((handle) => vm.dump(handle));
    },
    drop: () => vm.dispose(),
  };
}
