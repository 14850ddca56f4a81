import hotcell from './index.cjs';

export const {
  ExecutorError,
  Files,
  SESExecutor,
  Sandbox,
  SandboxError,
  buildId,
  fileTools,
  observation,
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
