import ai from './ai.cjs';

export const {
  CodeModeProtocolError,
  DIRECT_TOOL_CALL,
  codeModeTool,
  continueCodeModeApproval,
  continueCodeModeInterrupt,
  createCodeModeTool,
  getCodeModeApprovalResponse,
  getCodeModeInterrupt,
  isCodeModeApprovalInterrupt,
  isCodeModeInterrupt,
  requestCodeModeInterrupt,
  runCodeMode,
  setCodeModeContinuationSigningKey,
  toCodeModeApprovalMessages,
  unwrapCodeModeResult,
} = ai;
