import smolagents from './smolagents.cjs';

export const { CodeExecutor, createExecutor, toolsFromAgent } = smolagents;
