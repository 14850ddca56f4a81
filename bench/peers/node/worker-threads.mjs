import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { connect, serve } from '../lib/remote.mjs';

export const title = 'worker_threads';
export const version = `Node ${process.versions.node}`;
export const lacks = { sync_call: 'none', loop_guarded: 'no counting', command: 'none' };

const FAR_END = 'far end';
if (!isMainThread && workerData === FAR_END) parentPort.on('message', serve((message) => parentPort.postMessage(message)));

export function create({ memoryMb, ...options }) {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: FAR_END, resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  return connect({
    send: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', listener),
    onEnd: (listener) => worker.on('error', (error) => listener(error.message)).on('exit', () => listener('terminated')),
    kill: () => worker.terminate(),
  }, options);
}
