import codemode from './codemode.cjs';

export const { HotcellExecutor, createExecutor } = codemode;
