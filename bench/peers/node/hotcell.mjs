import { join } from 'node:path';
import { creates } from '../lib/contract.mjs';
import { target } from '../lib/installed.mjs';
import { SESExecutor, version as packaged } from '../../../bindings/node/index.mjs';

export const title = 'hotcell';
export const version = packaged;
export const command = [join(target, 'release/hotcell'), 'eval', '1 + 1'];

export const create = creates(SESExecutor, ({ timeoutMs, memoryMb, operations }) => ({
  timeoutMs, memoryLimitBytes: memoryMb * 1024 * 1024, maxOperations: operations,
}));
