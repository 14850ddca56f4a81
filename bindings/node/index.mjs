import hotcell from './index.cjs';

export const {
  ExecutorError,
  Files,
  SESExecutor,
  Sandbox,
  SandboxError,
  approve,
  buildId,
  deny,
  fileTools,
  inspectSnapshot,
  observation,
  parseCode,
  prepareProgram,
  prepareProgramAsync,
  renderPrompt,
  suspend,
  suspending,
  tool,
  toolsFromSchemas,
  validateCode,
  validateCodeAsync,
  version,
} = hotcell;
export default hotcell;
