import type { ExecutorOptions } from "./index.cjs";

/** A tool of the AI SDK, as far as it matters here. */
export interface AiTool {
  /** Models are told of it if it is a text. */
  description?: string | ((...args: any[]) => string) | undefined;
  inputSchema?: any;
  outputSchema?: any;
  execute?: ((input: any, options: any) => any) | undefined;
  needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>) | undefined;
}

/** What the AI SDK passes to a tool beside its input. */
export interface ToolExecutionOptions {
  toolCallId?: string;
  messages?: any[];
  abortSignal?: AbortSignal;
  context?: unknown;
  experimental_context?: unknown;
}

/** What a tool that asked with `requestCodeModeInterrupt` finds in its options, as `codeModeInterrupt`, when it is called again. */
export interface CodeModeInterruptExecutionContext<P extends CodeModeInterruptPayload = CodeModeInterruptPayload, R = unknown> {
  interruptId: string;
  /** What it asked. */
  payload: P;
  /** What it was answered. */
  resolution: R;
}

export interface CodeModeOptions {
  /** The limits, as `@ai-sdk/code-mode` calls them. Time that tools take is free. */
  executionPolicy?: {
    /** How long a program may take (30,000). */
    timeoutMs?: number;
    memoryLimitBytes?: number;
    maxResultBytes?: number;
    maxConsoleOutputBytes?: number;
    maxSourceBytes?: number;
    /** How large the input of a tool may be as JSON, and its result. */
    maxToolInputBytes?: number;
    maxToolOutputBytes?: number;
    /** How many calls of tools a program may make, and how many of them at once. */
    maxBridgeRequests?: number;
    maxInFlightBridgeRequests?: number;
    /** Not needed: the stack is bounded in another way. */
    maxStackSizeBytes?: number;
  };
  /** What becomes of calls of tools that need approval. */
  approval?: {
    /**
     * "callback": `onApprovalRequired` decides while the program waits; without it they fail. "interrupt": the program stops there, and
     * its result is a `CodeModeInterrupt`; `continueCodeModeApproval` goes on with it, in this process or another ("callback").
     */
    mode?: "callback" | "interrupt";
    onApprovalRequired?: (request: CodeModeApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;
  };
  /** Who can go on with programs that wait, and for how long. */
  continuationSecurity?: CodeModeContinuationSecurityOptions;
  /** Options of the executor, where they say more. */
  executor?: ExecutorOptions;
}

export interface CodeModeApprovalRequest {
  toolName: string;
  input: unknown;
  toolCallId: string;
}

export type ApprovalDecision = "approved" | "denied" | { approved: boolean; reason?: string };

export interface CodeModeContinuationSecurityOptions {
  /**
   * A secret of at least 16 bytes that is hard to guess, the same in every process that goes on with programs. Continuations are
   * enciphered with it, and nobody without it can read or change one. (That of `setCodeModeContinuationSigningKey`, or one that dies
   * with the process.)
   */
  signingKey?: string | Uint8Array;
  /** How long a program may wait, from when it stopped (an hour). */
  maxAgeMs?: number;
  /**
   * Says whether it is the first time that this program is gone on with: `true`, and it goes on. Where several processes could go on with
   * the same program, give a function that asks a store which all of them have; what is older than `expiresAtMs` it may forget. (Each
   * thread remembers those with which it has gone on itself.)
   */
  claim?: (program: { id: string; expiresAtMs: number }) => boolean | Promise<boolean>;
}

/** A program that waits: sealed, and not to be looked into. */
export interface CodeModeContinuation {
  version: 1;
  expiresAtMs: number;
  token: string;
}

/** What a program waits for. `kind` says what sort of thing that is. */
export interface CodeModeInterruptPayload {
  kind: string;
  [key: string]: unknown;
}

/** What a program gives that waits for somebody, in the place of a result. It is JSON, and good to be kept as it is. */
export interface CodeModeInterrupt<P extends CodeModeInterruptPayload = CodeModeInterruptPayload> {
  type: "code-mode-interrupt";
  interruptId: string;
  toolName: string;
  toolCallId: string;
  /** The call of the program itself. */
  outerToolCallId: string;
  /** What the program calls the tool with, as JSON: for approval, exactly what the tool gets. */
  input?: unknown;
  payload: P;
  continuation: CodeModeContinuation;
}

export interface CodeModeApprovalInterruptPayload extends CodeModeInterruptPayload {
  kind: "ai-sdk-code-mode/tool-approval";
}

/** It waits for approval of a call. */
export type CodeModeApprovalInterrupt = CodeModeInterrupt<CodeModeApprovalInterruptPayload>;

export interface CodeModeApprovalResponse {
  /** The `interruptId` of the interrupt. */
  approvalId: string;
  approved: boolean;
  /** Why not, for the program. */
  reason?: string;
}

export type CodeModeUnwrappedResult = { status: "completed"; output: unknown } | { status: "interrupted"; interrupt: CodeModeInterrupt };

/** A continuation that cannot be gone on with, or an answer that does not belong to it. Nothing has run. */
export class CodeModeProtocolError extends Error {
  readonly name: "CodeModeProtocolError";
  readonly code: "CODE_MODE_PROTOCOL_ERROR";
  /**
   * "malformed": it is none. "signature": it was changed, or made with another key. "mismatch": the interrupt around it was changed.
   * "expired": its time is over. "used": somebody has gone on with it. "tools": a tool is missing. "response": the answer does not fit.
   */
  readonly reason: "malformed" | "signature" | "mismatch" | "expired" | "used" | "tools" | "response";
  readonly details?: Record<string, unknown>;
}

/** A tool whose input is a program. */
export interface CodeModeTool {
  description: string;
  inputSchema: any;
  execute(input: { js: string }, options: any): Promise<unknown>;
  /** Of an interrupt a model reads that the program waits, and nothing of what that holds. */
  toModelOutput(result: { output: unknown }): { type: "text"; value: string } | { type: "json"; value: any };
}

/** One that the AI SDK gives the tools which programs may call. */
export type CodeModeCaller = CodeModeTool & {
  readonly experimental_toolCaller: { type: "local"; bind: (tools: Record<string, any>) => CodeModeTool };
};

/** For `experimental_toolCallers`: a model may also call the tool itself. */
export const DIRECT_TOOL_CALL: "AI_SDK_DIRECT_TOOL_CALL";

/** A tool for programs that call these tools as `tools.name(input)`. */
export function createCodeModeTool(tools?: Record<string, AiTool>, options?: CodeModeOptions): CodeModeTool;
/** The same for `experimental_toolCallers` of `generateText`, which says which tools programs may call. */
export function codeModeTool(options?: CodeModeOptions): CodeModeCaller;
/** Runs one program, and gives what it returns, or a `CodeModeInterrupt` if it waits for somebody. What goes wrong is thrown, with all that a model should read as its message. */
export function runCodeMode(input: {
  js: string;
  tools?: Record<string, AiTool>;
  toolExecutionOptions?: ToolExecutionOptions;
  options?: CodeModeOptions;
}): Promise<unknown>;

/** What to go on with, and where. */
export interface CodeModeContinuing {
  /** The same tools, by the same names; others are left out. */
  tools: Record<string, AiTool>;
  /** As those it began with; its limits are those given here, of which it has spent what it has spent. */
  options?: CodeModeOptions;
  toolExecutionOptions?: ToolExecutionOptions;
}

/**
 * Goes on with a program after a person has decided on a call. Calls that wait at once are decided on one after the other: this gives the
 * next interrupt, and when the last is decided on, those that were approved take place and the program goes on. What it gives then is
 * what `runCodeMode` gives. What the next tool needs approval for interrupts again, unless `options.approval.mode` says otherwise.
 */
export function continueCodeModeApproval(
  input: CodeModeContinuing & { interrupt: CodeModeApprovalInterrupt; approvalResponse: CodeModeApprovalResponse },
): Promise<unknown>;
/** The same for any interrupt. The tool that asked is called again with the resolution; that of an approval is `{ approved, reason? }`. */
export function continueCodeModeInterrupt<P extends CodeModeInterruptPayload = CodeModeInterruptPayload, R = unknown>(
  input: CodeModeContinuing & { interrupt: CodeModeInterrupt<P>; resolution: R },
): Promise<unknown>;
/**
 * For tools: ends their call for now. The result of the program is an interrupt with this payload, which has to be JSON, and the tool is
 * called again with the same input once `continueCodeModeInterrupt` brings the resolution. It throws, and the tool must let that pass.
 */
export function requestCodeModeInterrupt<P extends CodeModeInterruptPayload>(payload: P): never;
/** Whether it is an interrupt that can be gone on with now, with this key. */
export function isCodeModeInterrupt(value: unknown, continuationSecurity?: CodeModeContinuationSecurityOptions): value is CodeModeInterrupt;
export function isCodeModeApprovalInterrupt(
  value: unknown,
  continuationSecurity?: CodeModeContinuationSecurityOptions,
): value is CodeModeApprovalInterrupt;
/** The interrupt that this is, or the first among `toolResults` or `content` of a result or step of `generateText`. */
export function getCodeModeInterrupt(
  result: unknown,
  continuationSecurity?: CodeModeContinuationSecurityOptions,
): CodeModeInterrupt | undefined;
export function unwrapCodeModeResult(result: unknown, continuationSecurity?: CodeModeContinuationSecurityOptions): CodeModeUnwrappedResult;
/** The messages by which the AI SDK asks a person for approval. */
export function toCodeModeApprovalMessages(interrupt: CodeModeApprovalInterrupt): Array<{
  role: "assistant";
  content: Array<
    | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown }
    | { type: "tool-approval-request"; approvalId: string; toolCallId: string }
  >;
}>;
/** The last answer to that among messages of the AI SDK. */
export function getCodeModeApprovalResponse(
  messages: ReadonlyArray<{ role: string; content: unknown }>,
  interrupt: CodeModeApprovalInterrupt,
): CodeModeApprovalResponse | undefined;
/** What counts where `continuationSecurity` does not say: without a key, a new one that dies with the process. */
export function setCodeModeContinuationSigningKey(key?: string | Uint8Array, options?: { maxAgeMs?: number }): void;
