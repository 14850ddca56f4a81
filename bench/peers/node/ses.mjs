import { creates } from '../lib/contract.mjs';
import { version as of } from '../lib/installed.mjs';
import { SESExecutor } from '../ses/executor.mjs';

export const title = 'SES on Node';
export const version = of('ses');
export const lacks = { command: 'none', kill: 'no deadline' };
// All it has for a memory limit is the heap of the whole process.
export const flags = ['--max-old-space-size=$memoryMb'];

export const create = creates(SESExecutor, ({ timeoutMs, guarded, operations }) => ({
  timeoutMs, guards: guarded, maxOperations: operations,
}));
