import mastra from './mastra.cjs';

export const { HotcellTransport, createTransport } = mastra;
