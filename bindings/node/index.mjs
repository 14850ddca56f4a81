import hotcell from './index.cjs';

export const {
  ExecutorError,
  SESExecutor,
  buildId,
  fileTools,
  parseCode,
  prepareProgram,
  prepareProgramAsync,
  renderPrompt,
  tool,
  toolsFromSchemas,
  validateCode,
  validateCodeAsync,
  version,
} = hotcell;
export default hotcell;
