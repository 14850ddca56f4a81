import type { ExecutorOptions } from "./index.cjs";

/** A tool of the AI SDK, as far as it matters here. */
export interface AiTool {
  description?: string;
  inputSchema?: any;
  outputSchema?: any;
  execute?: (input: any, options: any) => any;
  needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>);
}

/** What the AI SDK passes to a tool beside its input. */
export interface ToolExecutionOptions {
  toolCallId?: string;
  messages?: any[];
  abortSignal?: AbortSignal;
  context?: unknown;
  experimental_context?: unknown;
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
  /** Decides on calls of tools that need approval; without it they fail. */
  approval?: {
    mode?: "callback";
    onApprovalRequired?: (request: {
      toolName: string;
      input: unknown;
      toolCallId: string;
    }) => "approved" | "denied" | { approved: boolean; reason?: string } | Promise<"approved" | "denied" | { approved: boolean; reason?: string }>;
  };
  /** Options of the executor, where they say more. */
  executor?: ExecutorOptions;
}

/** A tool whose input is a program. */
export interface CodeModeTool {
  description: string;
  inputSchema: any;
  execute(input: { js: string }, options: any): Promise<unknown>;
}

/** A tool for programs that call these tools as `tools.name(input)`. */
export function createCodeModeTool(tools?: Record<string, AiTool>, options?: CodeModeOptions): CodeModeTool;
/** The same for `experimental_toolCallers` of `generateText`, which says which tools programs may call. */
export function codeModeTool(options?: CodeModeOptions): CodeModeTool;
/** Runs one program, and gives what it returns. What goes wrong is thrown, with all that a model should read as its message. */
export function runCodeMode(input: {
  js: string;
  tools?: Record<string, AiTool>;
  toolExecutionOptions?: ToolExecutionOptions;
  options?: CodeModeOptions;
}): Promise<unknown>;
