import ai from './ai.cjs';

export const { codeModeTool, createCodeModeTool, runCodeMode } = ai;
