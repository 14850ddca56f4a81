import hotcell from './index.cjs';

export const {
  ExecutorError,
  SESExecutor,
  buildId,
  fileTools,
  parseCode,
  prepareProgram,
  renderPrompt,
  tool,
  toolsFromSchemas,
  validateCode,
  version,
} = hotcell;
export default hotcell;
