/**
 * hotcell runs code that a model wrote, in a JavaScript VM with a memory of its own that sees what you give it and ends when
 * its time is over.
 */

export type ExecutorState = "NEW" | "INITIALIZING" | "READY" | "RUNNING" | "DIRTY" | "DEAD";

export type ConsoleLevel = "log" | "info" | "warn" | "error";

export interface ExecutorOptions {
  /** How many loop iterations a run may make (50,000). */
  maxOperations?: number;
  /** How long a run may take, in milliseconds (10,000). It also ends code that only computes. */
  timeoutMs?: number;
  /** What becomes of a run while another is under way ("reject"). */
  runConcurrency?: "reject" | "queue";
  /** How many runs may wait, with `runConcurrency: "queue"` (0). */
  maxQueuedRuns?: number;
  /** Modules that code may `import()`; each needs a source in `modules` (none). */
  authorizedImports?: string[];
  /** How many bytes of console output are kept of a run (262,144). */
  maxLogBytes?: number;
  /** Which console methods are collected (all four). */
  collectConsoleLevels?: ConsoleLevel[];
  /** How much memory the sandbox may have (64 MiB). */
  memoryLimitBytes?: number;
  /**
   * How much the host may keep for the sandbox beside that: arguments of calls, answers that code has not taken, records of
   * calls, logs, errors and results while they are made (as much as `memoryLimitBytes`, and at least 16 MiB). Code that wants
   * more gets a `RangeError` that names this limit, or the run fails with `ERR_MEMORY_LIMIT`.
   */
  maxHostMemoryBytes?: number;
  /**
   * Seals snapshots with this secret, a text of at least 16 bytes that is hard to guess; only snapshots that are sealed with it
   * can be restored. Without one, whoever can change the bytes of a snapshot can change what the sandbox does next.
   */
  snapshotKey?: string;
  /** Where `Date.now()` gets the time ("none": it throws). */
  clock?: "none" | "real" | { fixed: number };
  /** Where `Math.random()` gets its numbers ("none": it throws). */
  random?: "none" | "real" | { seed: number };
  /** The largest code that is looked at, in bytes (1 MiB). */
  maxCodeBytes?: number;
  /** How large a result, or the arguments of a tool call, may be, in bytes (8 MiB). */
  maxResultBytes?: number;
  /** How many tool calls a run may make (10,000). */
  maxToolCalls?: number;
  /** How many calls of asynchronous tools may be outstanding (1,000). */
  maxToolCallsInFlight?: number;
  /** Whether time spent waiting for tools is free (it counts). */
  pauseClockDuringTools?: boolean;
  /** Where code runs: on a thread of this process. */
  isolation?: "thread";
  /** Sources of ECMAScript modules by name, for `import()`. */
  modules?: Record<string, string>;
  /** Receives console output as it is printed. */
  onLog?: (entry: LogEntry) => void;
  /**
   * Decides on calls of tools with `permission: "ask"`; without it they are refused. `true` allows the call, a text refuses
   * it with that reason, anything else refuses it.
   */
  onApproval?: (request: ApprovalRequest) => boolean | string | Promise<boolean | string>;
}

export interface LogEntry {
  level: ConsoleLevel;
  message: string;
  /** ISO 8601. */
  ts: string;
}

export interface ApprovalRequest {
  tool: string;
  arguments: unknown[];
}

export interface CodeOutput {
  /**
   * The argument of `final_answer`, else what the code returned, else the value of its last expression. Where Node cannot make a
   * part of it (a regular expression that only other engines know, say), the part's printed form stands, and a diagnostic
   * `result_not_cloneable` tells of it.
   */
  output: unknown;
  /** Console output, joined by line breaks. */
  logs: string;
  /** Whether `final_answer` was called. */
  is_final_answer: boolean;
}

/** What a run has to tell beyond the contract. */
export interface RunOutput extends CodeOutput {
  entries: LogEntry[];
  /** What there is to say about the code that did not keep it from running. */
  diagnostics: Diagnostic[];
  stats: RunStats;
  calls: CallRecord[];
}

/** What a run has to tell, however it ended. */
export interface Execution extends CodeOutput {
  entries: LogEntry[];
  diagnostics: Diagnostic[];
  /** Absent if the run did not begin. */
  stats?: RunStats;
  calls: CallRecord[];
  /** Why there is no output. */
  error?: ExecutorError | Error;
}

export interface RunStats {
  /** Loop iterations. */
  operations: number;
  wallMs: number;
  cpuMs: number;
  toolCalls: number;
  peakMemoryBytes: number;
}

export interface CallRecord {
  tool: string;
  /** Absent once the arguments of a run have come to more than 1 MiB. */
  arguments?: unknown[];
  durationMs: number;
  outcome: "returned" | "failed" | "refused" | "unanswered";
  message?: string;
}

export interface Diagnostic {
  rule: string;
  severity: "ERROR" | "WARNING" | "INFO";
  message: string;
  location?: { line: number; column: number };
  fix?: string;
  /** The module that an import rule refused. */
  module?: string;
}

export interface PreparedProgram {
  originalCode: string;
  transformedCode: string;
  diagnostics: Diagnostic[];
  /** Absent if the code does not parse. */
  language?: "javascript" | "typescript" | null;
}

export type ExecutorErrorCode =
  | "ERR_INVALID_STATE"
  | "ERR_SES_INIT_FAILED"
  | "ERR_VALIDATION_FAILED"
  | "ERR_IMPORT_NOT_ALLOWED"
  | "ERR_MAX_OPS_EXCEEDED"
  | "ERR_EXEC_TIMEOUT"
  | "ERR_RUNTIME_EXCEPTION"
  | "ERR_TOOL_PROXY_FAIL"
  | "ERR_CLEANUP_FAILED"
  | "ERR_MEMORY_LIMIT"
  | "ERR_CANCELLED";

export interface NormalizedExecutorError {
  code: ExecutorErrorCode;
  severity: "FATAL" | "ERROR" | "WARN";
  message: string;
  retryable: boolean;
  details?: Record<string, unknown>;
  logs?: string;
}

export class ExecutorError extends Error {
  readonly name: "ExecutorError";
  readonly code: ExecutorErrorCode;
  readonly severity: "FATAL" | "ERROR" | "WARN";
  /** Whether another attempt makes sense. */
  readonly retryable: boolean;
  /** For instance `cause` (name, message, stack, location) of an error that code threw, or `diagnostics`. */
  readonly details?: Record<string, unknown>;
  /** What the code printed before. */
  readonly logs?: string;
  /** What it printed, with levels and times. */
  readonly entries: LogEntry[];
  toJSON(): NormalizedExecutorError;
}

/**
 * A function of the host's. If it returns a plain value, so does the call in the sandbox; if it returns a promise, so does
 * the call.
 */
// Functions of any parameters are tools; with `unknown[]` TypeScript would refuse `(path: string) => …`.
export type ToolFunction = (...args: any[]) => unknown;

export type JsonSchema = boolean | Record<string, unknown>;

export interface ToolSpec {
  /** What it does, for the model. */
  description?: string;
  /** What it takes: a JSON Schema of one object. Calls are checked against it, with the object or its properties in order. */
  parameters?: JsonSchema;
  /** What it gives back: a JSON Schema, for the model. */
  returns?: JsonSchema;
  /** Whether code may call it ("allow"). */
  permission?: "allow" | "deny" | "ask";
  /** Whether the prompt shows the arguments one by one and not as one object. */
  positional?: boolean;
  /** Makes calls return plain values ("sync") or promises ("async"), whatever the function returns. */
  mode?: "sync" | "async";
}

/** A specification with a name, as `executor.tools` and MCP servers give them. */
export interface NamedToolSpec extends ToolSpec {
  name: string;
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
}

/** A specification with its function in it, as the AI SDKs have them. */
export interface ToolObject extends ToolSpec {
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
  execute: ToolFunction;
}

export type Tools = Record<string, ToolFunction | ToolObject>;

export interface RunOptions {
  /** Calls the run off: it fails with `ERR_CANCELLED`, and the signal's reason is the error's `cause`. */
  signal?: AbortSignal;
  /** How long this run may take. */
  timeoutMs?: number;
  /** What stacks call the code. */
  name?: string;
}

/** The contract of an executor. */
export interface ICodeExecutor {
  init(): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  sendTools(tools: Record<string, (...args: any[]) => unknown>): Promise<void>;
  run(code: string): Promise<CodeOutput>;
  cleanup(): Promise<void>;
}

export class SESExecutor implements ICodeExecutor {
  constructor(options?: ExecutorOptions);

  /**
   * An executor as it was when the snapshot was taken, here or in another process. A snapshot holds state and nothing else: limits,
   * clock, randomness and imports are those of `options`, or the defaults. Tools must be sent again.
   */
  static restore(snapshot: Uint8Array, options?: ExecutorOptions): Promise<SESExecutor>;

  readonly state: ExecutorState;
  /** How many runs wait for their turn. */
  readonly queued: number;
  /** The tools that were sent, as they were described. */
  readonly tools: NamedToolSpec[];
  /** The options in force. */
  readonly options: Required<Omit<ExecutorOptions, "onLog" | "onApproval" | "snapshotKey">>;

  init(): Promise<void>;
  /** Values become global variables: copies, deeply frozen. */
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  sendTools(tools: Tools): Promise<void>;
  /** Runs code. What it declares stays for the next run. */
  run(code: string, options?: RunOptions): Promise<RunOutput>;
  /** Like `run`, but never fails: the error is in what it resolves to. */
  execute(code: string, options?: RunOptions): Promise<Execution>;
  /** Calls off the run under way; it fails with `ERR_CANCELLED`. False if there is none. */
  cancel(): boolean;
  /** Everything the executor holds, as bytes. */
  snapshot(): Promise<Buffer>;
  /** A second executor in the same state, tools included. */
  fork(): Promise<SESExecutor>;
  cleanup(): Promise<void>;
  /** Calls off what runs and cleans up. */
  [Symbol.asyncDispose](): Promise<void>;

  /** What there is to say about code before it runs here. Node waits for it: for long code there is `validateAsync`. */
  validate(code: string): Diagnostic[];
  /** The same, while Node goes on. */
  validateAsync(code: string): Promise<Diagnostic[]>;
  /** The system prompt for a model that writes code for this executor. */
  renderPrompt(context?: PromptContext): string;
}

/** What there is to say about code. Node waits for it: for long code there is `validateCodeAsync`. */
export function validateCode(code: string, options?: ExecutorOptions): Diagnostic[];
export function validateCodeAsync(code: string, options?: ExecutorOptions): Promise<Diagnostic[]>;
/** What would run of code. Node waits for it: for long code there is `prepareProgramAsync`. */
export function prepareProgram(code: string, options?: ExecutorOptions): PreparedProgram;
export function prepareProgramAsync(code: string, options?: ExecutorOptions): Promise<PreparedProgram>;

export interface CodeTags {
  opening: string;
  closing: string;
}

export interface PromptContext {
  tools?: NamedToolSpec[];
  variables?: Array<{ name: string; type?: string; schema?: JsonSchema; description?: string }>;
  authorizedImports?: string[];
  /** The marks around code. The parser must be given the same ones. */
  tags?: CodeTags;
  customInstructions?: string;
  limits?: { maxOperations?: number; timeoutMs?: number; maxLogBytes?: number; maxSteps?: number };
  clock?: boolean;
  random?: boolean;
  /** A template of your own, in the place of ours. */
  template?: string;
}

export function renderPrompt(context?: PromptContext): string;

export interface ParseOptions {
  /** The marks that the prompt asked for (`<code>` and `</code>`). */
  tags?: CodeTags;
  /** Which of several code blocks are taken ("all"). */
  take?: "all" | "first";
  /** Whether Markdown fences will do where the marks are not found (they will). */
  fences?: boolean;
  /** Whether an answer without any block will do if all of it is code (it will). */
  bareCode?: boolean;
  /** Whether everything from an invented `Observation:` on is ignored (it is). */
  stopAtObservation?: boolean;
  /** Longer answers are refused (4 MiB). */
  maxBytes?: number;
}

export interface ParsedCode {
  code: string;
  thought: string | null;
  blocks: Array<{ code: string; kind: "tag" | "fence" | "bare"; language: string | null; closed: boolean; line: number }>;
  ignoredLanguages: string[];
  inventedObservation: boolean;
}

/** The code in a model's answer. Throws a `TypeError` whose message teaches the format: send it to the model. */
export function parseCode(answer: string, options?: ParseOptions): ParsedCode;

/** Gives a function what a model and the boundary need to know about it. */
export function tool<F extends ToolFunction>(fn: F, about: ToolSpec): F;

/** Tools from specifications: one handler for all, which gets the name first, or one for each. */
export function toolsFromSchemas(
  specs: Iterable<NamedToolSpec>,
  handlers: ((name: string, ...args: any[]) => unknown) | Record<string, ToolFunction>,
): Record<string, ToolFunction>;

export interface FileToolsOptions {
  /** The directory. Nothing outside of it can be reached, by links neither. */
  root: string;
  /** Leaves out the tools that change files. */
  readOnly?: boolean;
}

/** The tools read, write, edit, grep, find and ls over a directory, with their aliases, for `sendTools`. */
export function fileTools(options: FileToolsOptions): Record<string, (...args: any[]) => Promise<unknown>>;

/** The version of this package's library. */
export const version: string;
/** Names the build of the sandbox's image: snapshots are good for one build. */
export const buildId: string;
