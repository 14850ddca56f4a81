/**
 * hotcell runs code that a model wrote, in a JavaScript VM with a memory of its own that sees what you give it and ends when
 * its time is over.
 */

export type ExecutorState = "NEW" | "INITIALIZING" | "READY" | "RUNNING" | "SUSPENDED" | "DIRTY" | "DEAD";

export type ConsoleLevel = "log" | "info" | "warn" | "error";

export interface ExecutorOptions {
  /** How many loop iterations a run may make (50,000). */
  maxOperations?: number;
  /** How long a run may take, in milliseconds (10,000). It also ends code that only computes. */
  timeoutMs?: number | null;
  /**
   * How long a run may compute, in milliseconds, beside `timeoutMs` (any time): the time in which it holds a thread. Waiting for
   * tools and timers is free. With it `timeoutMs` can be `null`: then a run may wait as long as it likes.
   */
  cpuTimeMs?: number;
  /** What becomes of a run while another is under way ("reject"). */
  runConcurrency?: "reject" | "queue";
  /** How many runs may wait, with `runConcurrency: "queue"` (1,000). */
  maxQueuedRuns?: number;
  /** Modules that code may import; each also has to be in `modules` (none). */
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
  /** How large a snapshot may be, in bytes (256 MiB): one that is larger is neither taken nor restored. */
  maxSnapshotBytes?: number;
  /**
   * How many runs may go on by themselves, or wait with their results to be fetched (100): see `yieldAfterMs`. One more fails with
   * `ERR_INVALID_STATE`.
   */
  maxBackgroundRuns?: number;
  /** Where `Date.now()` gets the time ("none": it throws). */
  clock?: "none" | "real" | { fixed: number };
  /** Where `Math.random()` gets its numbers ("none": it throws). */
  random?: "none" | "real" | { seed: number };
  /**
   * Whether code has `setTimeout`, `setInterval`, `setImmediate` and their clears (false). Timers that are pending when a run ends end
   * with it, or with `persist` fire in the next. With a fixed clock their time is virtual: they fire in order, without waiting, and
   * move the clock on.
   */
  timers?: boolean | { persist: boolean };
  /** The largest code that is looked at, in bytes (1 MiB; in any case a sixtieth of `maxHostMemoryBytes`, as much as looking at it takes). */
  maxCodeBytes?: number;
  /** How large a result, or the arguments of a tool call, may be, in bytes (8 MiB). */
  maxResultBytes?: number;
  /** How many tool calls a run may make (10,000). */
  maxToolCalls?: number;
  /** How many calls of asynchronous tools may be outstanding (1,000). */
  maxToolCallsInFlight?: number;
  /** Whether time spent waiting for tools is free (it counts). */
  pauseClockDuringTools?: boolean;
  /**
   * Where code runs: on threads of this process, or (Linux) in a jailed worker process, which is killed when it has to be: for hosts
   * that run the code of many tenants.
   */
  isolation?: "thread" | "process";
  /** With `isolation: "process"`: `init` fails where the jail lacks a part (it does not). `hotcell doctor` tells which. */
  requireJail?: boolean;
  /**
   * Modules by name: the source of an ECMAScript module, in JavaScript or TypeScript, or an object of functions and values. Code
   * imports those that are authorised, by `import { x } from "name"` at its top or by `await import("name")`.
   */
  modules?: Record<string, string | HostModule>;
  /**
   * Whether code may show things (false): it has `display(value)`, `image(bytesOrDataUrl, mime?)`, `audio(bytesOrDataUrl, mime?)` and
   * `text(value)`, whose items are the `content` of its run, and `notify(text)`, which `onNotify` hears of. A tool or variable of yours
   * that has one of these names takes its place.
   */
  content?: boolean;
  /** How many items a run may show (100). */
  maxContentItems?: number;
  /** How many bytes those items may have together (8 MiB). */
  maxContentBytes?: number;
  /** How often a run may call `notify` (1,000). */
  maxNotifications?: number;
  /**
   * Gives code `store(key, value)` and `load(key)`, which keep small values in this object (none): a `Map`, or functions `get`, `set` and
   * perhaps `delete` of your own, which may return promises. With `true` they are kept in memory for as long as there is the executor or
   * a fork of it.
   */
  store?: boolean | ValueStore;
  /** How many bytes one value may have that code stores, with its key; with `store: true` also how many all of them (1 MiB). */
  maxStoreBytes?: number;
  /** Receives console output as it is printed. */
  onLog?: (entry: LogEntry) => void;
  /** Receives what code tells with `notify`, at once. */
  onNotify?: (text: string) => void;
  /**
   * Decides on calls of tools with `permission: "ask"`; without it they are refused. `true` allows the call, a text refuses
   * it with that reason, `suspend()` leaves it to whoever resumes the run, anything else refuses it.
   */
  onApproval?: (request: ApprovalRequest) => boolean | string | Suspend | Promise<boolean | string | Suspend>;
  /** Receives what happens as it happens, before the promise of the run is settled: see `events`. */
  onEvent?: (event: ExecutorEvent) => void;
}

/** What a module exports: functions, which are called like tools, and values, which arrive frozen. */
export type HostModule = Record<string, unknown>;

/** Where `store(key, value)` puts values and `load(key)` finds them. */
export interface ValueStore {
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
  /** Called for `store(key, undefined)`; without it `set` is. */
  delete?(key: string): unknown;
}

/** Something that code showed: text, or the bytes of an image or a sound, which were found to be what `mime` says. */
export type ContentItem =
  | { mime: "text/plain" | "application/json" | "image/svg+xml"; text: string; data?: undefined }
  | {
      mime: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "audio/wav" | "audio/mpeg" | "audio/ogg" | "audio/flac";
      data: Uint8Array;
      text?: undefined;
    };

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

export interface CodeOutput<T = unknown> {
  /**
   * The argument of `final_answer`, else what the code returned, else the value of its last expression. Where Node cannot make a
   * part of it (a regular expression that only other engines know, say), the part's printed form stands, and a diagnostic
   * `result_not_cloneable` tells of it.
   */
  output: T;
  /** Console output, joined by line breaks. */
  logs: string;
  /** Whether `final_answer` was called. */
  is_final_answer: boolean;
}

/** What a run has to tell beyond the contract. */
export interface RunOutput<T = unknown> extends CodeOutput<T> {
  entries: LogEntry[];
  /** What the code showed, with the option `content`. */
  content: ContentItem[];
  /** What there is to say about the code that did not keep it from running. */
  diagnostics: Diagnostic[];
  stats: RunStats;
  calls: CallRecord[];
}

/** What a run has to tell, however it ended. */
export interface Execution<T = unknown> extends CodeOutput<T> {
  entries: LogEntry[];
  /** What the code showed, with the option `content`. */
  content: ContentItem[];
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

/** How far a run has come that `start` began. */
export type Started<T = unknown> = CompleteRun<T> | SuspendedRun | RunningRun;

/** It is over, well or not. */
export interface CompleteRun<T = unknown> extends Execution<T> {
  status: "complete";
}

/** It waits for answers: `resume` takes it further, in this process or, after `snapshot` and `restore`, in another. */
export interface SuspendedRun {
  status: "suspended";
  /** The calls that wait. There is at least one. */
  calls: SuspendedCall[];
  /** All calls that it has made, those that wait among them. */
  made: CallRecord[];
  logs: string;
  entries: LogEntry[];
  /** What the code has shown so far. */
  content: ContentItem[];
  stats: RunStats;
}

/** It takes longer than `yieldAfterMs`, and goes on by itself. */
export interface RunningRun {
  status: "running";
  /** For `wait`, `cancelRun` and `giveUp`, and in events. */
  id: string;
  made: CallRecord[];
  logs: string;
  entries: LogEntry[];
  /** What the code has shown so far. */
  content: ContentItem[];
}

export interface SuspendedCall {
  /** Names it to `resume`. */
  id: string;
  tool: string;
  arguments: unknown[];
  /** "deferred": its tool always suspends. "tool": the tool said so. "approval": it needs consent that nobody here could give. */
  reason: "deferred" | "tool" | "approval";
}

/** What a tool answers that has no answer yet: see `suspend`. */
export interface Suspend {
  readonly [Symbol.toStringTag]: "hotcell.suspend";
}

/** What became of a call that needs consent: see `approve` and `deny`. */
export interface Decision {
  readonly kind: number;
  readonly reason?: string;
}

/** There is no answer yet: under `start` the run waits for `resume`. For asynchronous tools and for `onApproval`. */
export function suspend(): Suspend;
/** The answer to a call that waits for consent: it takes place now, with the tool's function. */
export function approve(): Decision;
/** The answer to a call that waits for consent: it does not take place, and code gets an error with this reason. */
export function deny(reason: string): Decision;
/** A tool without a function: each call suspends the run. */
export function suspending(about?: ToolSpec): ToolFunction;

/** Something that happened in an executor. */
export type ExecutorEvent = {
  /** They are counted while somebody watches. */
  number: number;
  /** ISO 8601. */
  at: string;
  /** The run that it belongs to. */
  run: string;
  /** The call that it is about, as in `SuspendedCall`; its parent is the run. */
  call?: string;
  parent?: string;
} & (
  | { type: "runStarted"; name: string; traceparent?: string }
  | { type: "log"; level: ConsoleLevel; message: string }
  | {
      type: "content";
      /** Which item of the run's `content` it is, from 0. */
      index: number;
      mime: ContentItem["mime"];
      /** How many it holds; `text` or `data` is there if they are at most 64 KiB. */
      bytes: number;
      text?: string;
      data?: Uint8Array;
    }
  | { type: "notify"; text: string }
  | { type: "callStarted"; tool: string; /** In words, cut. */ arguments: string; traceparent?: string }
  | { type: "callEnded"; tool: string; durationMs: number; outcome: CallRecord["outcome"]; message?: string }
  | { type: "callSuspended"; tool: string; reason: SuspendedCall["reason"] }
  | { type: "suspended"; calls: string[] }
  | { type: "resumed"; calls: string[] }
  | { type: "ended"; ok: boolean; code?: ExecutorErrorCode; message?: string; is_final_answer: boolean; stats: RunStats }
  | { type: "missed"; /** So many were not read in time. */ events: number }
);

/** What a snapshot says of itself. For showing: unless it is sealed and was looked at with the key, whoever wrote it wrote this. */
export interface SnapshotInfo {
  /** The build of hotcell that it was made with. */
  build: string;
  /** Whether that is this one. */
  isCurrent: boolean;
  bytes: number;
  unpackedBytes: number;
  isSealed: boolean;
  /** Whether its `base` has to be there to restore it. */
  hasBase: boolean;
  state: "READY" | "SUSPENDED";
  /** The tools that have to be sent again. */
  tools: string[];
  run?: {
    id: string;
    name: string;
    code: string;
    /** `arguments` are JSON as in the stdio protocol; absent once all of them come to more than 64 KiB. */
    calls: Array<{ id: string; tool: string; arguments?: unknown[]; reason: SuspendedCall["reason"] }>;
    made: CallRecord[];
    logs: string;
    /** What it has shown: of each item its type and size. */
    content: Array<{ mime: string; bytes: number }>;
  };
}

/** Looks at a snapshot without restoring it. Of the options `snapshotKey` and the limits count. */
export function inspectSnapshot(snapshot: Uint8Array, options?: ExecutorOptions): Promise<SnapshotInfo>;

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
  | "ERR_CANCELLED"
  | "ERR_INVALID_ANSWER"
  | "ERR_UNKNOWN_RUN"
  | "ERR_FOREIGN_SNAPSHOT";

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
  /** What it showed. */
  readonly content: ContentItem[];
  toJSON(): NormalizedExecutorError;
}

/**
 * A function of the host's. If it returns a plain value, so does the call in the sandbox; if it returns a promise, so does
 * the call.
 */
// Functions of any parameters are tools; with `unknown[]` TypeScript would refuse `(path: string) => …`.
export type ToolFunction = (...args: any[]) => unknown;

export type JsonSchema = boolean | Record<string, unknown>;

/** A schema of zod 4 or another library that says what it is in JSON Schema, or of the AI SDK. */
export type OtherSchema = { readonly "~standard": object } | { readonly jsonSchema: unknown; readonly validate?: unknown };

export interface ToolSpec {
  /** What it does, for the model. */
  description?: string;
  /** What it takes: a JSON Schema of one object. Calls are checked against it, with the object or its properties in order. */
  parameters?: JsonSchema | OtherSchema;
  /** What it gives back: a JSON Schema, for the model. */
  returns?: JsonSchema | OtherSchema;
  /** Whether code may call it ("allow"). */
  permission?: "allow" | "deny" | "ask";
  /** Whether the prompt shows the arguments one by one and not as one object. */
  positional?: boolean;
  /** Makes calls return plain values ("sync") or promises ("async"), whatever the function returns. */
  mode?: "sync" | "async";
  /** Leaves its declaration out of prompts: code finds it with `searchTools` and `describeTool`. */
  deferred?: boolean;
  /** Whether the function gets a `ToolContext` behind its arguments. */
  context?: boolean;
  /** The function is never called: each call suspends the run. */
  suspends?: boolean;
}

/** What a tool may know of a call beside its arguments. */
export interface ToolContext<C = unknown> {
  /** Fires when the run ends before the tool has answered: it was cancelled, or its time was over. */
  readonly signal: AbortSignal;
  /** The name that the code called it by. */
  readonly tool: string;
  /** Tells calls apart: the id that `resume` and events have for it. */
  readonly callId: string;
  /** Where the call stands in the trace that `start` was given: for requests of the tool's own. */
  readonly traceparent?: string;
  /** What `run` was given as its `context`. */
  readonly context: C;
}

/** A specification with a name, as `executor.tools` and MCP servers give them. */
export interface NamedToolSpec extends ToolSpec {
  name: string;
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
}

/** A specification with its function in it, as the AI SDKs have them. */
export interface ToolObject extends ToolSpec {
  inputSchema?: JsonSchema | OtherSchema;
  outputSchema?: JsonSchema | OtherSchema;
  execute: ToolFunction;
}

/** Tools by name; an object of tools is a namespace: `{ Host: { readDoc } }` is called as `await Host.readDoc()`. */
export interface Tools {
  [name: string]: ToolFunction | ToolObject | Tools;
}

export interface RunOptions {
  /** Calls the run off: it fails with `ERR_CANCELLED`, and the signal's reason is the error's `cause`. */
  signal?: AbortSignal;
  /** How long this run may take. `null`: as long as it likes; that counts where there is a `cpuTimeMs`. */
  timeoutMs?: number | null;
  /** How long this run may compute. */
  cpuTimeMs?: number;
  /** What stacks call the code. */
  name?: string;
  /** For the tools that the code calls: see `ToolContext`. The code does not get to see it. */
  context?: unknown;
  /** Calls the code if it is nothing but a function, as in `async () => { … }`; what that returns is the output. */
  callFunction?: boolean;
}

export interface StartOptions extends RunOptions {
  /** If the run takes longer than that, it comes back as "running" and goes on by itself. */
  yieldAfterMs?: number;
  /** What the run is a part of, as W3C's Trace Context writes it; events and tools are given their places in it. */
  traceparent?: string;
}

/** The contract of an executor. */
export interface ICodeExecutor {
  init(): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  sendTools(tools: Record<string, (...args: any[]) => unknown>): Promise<void>;
  run(code: string): Promise<CodeOutput>;
  cleanup(): Promise<void>;
}

export interface RestoreOptions extends ExecutorOptions {
  /** Tools to be sent again. */
  tools?: Tools;
  /** The snapshot that this one was taken against, if it was. */
  base?: Uint8Array;
  /** For the sandbox that was attached to it, if there was one. */
  sandbox?: SandboxOptions;
}

export class SESExecutor implements ICodeExecutor {
  constructor(options?: ExecutorOptions);

  /**
   * An executor as it was when the snapshot was taken, here or in another process. A snapshot holds state and nothing else: limits,
   * clock, randomness and imports are those of `options`, or the defaults. Tools must be sent again.
   */
  static restore(snapshot: Uint8Array, options?: RestoreOptions): Promise<SESExecutor>;

  readonly state: ExecutorState;
  /** How many runs wait for their turn. */
  readonly queued: number;
  /** The tools that were sent, as they were described. */
  readonly tools: NamedToolSpec[];
  /** The modules that code can import, with what they export. */
  readonly modules: ModuleSpec[];
  /** The files that its tools work on, if there are such. */
  readonly files: Files | undefined;
  /** The options in force. */
  readonly options: Required<Omit<ExecutorOptions, "onLog" | "onApproval" | "onEvent" | "snapshotKey" | "cpuTimeMs">> & Pick<ExecutorOptions, "cpuTimeMs">;

  init(): Promise<void>;
  /** Values become global variables: copies, deeply frozen. */
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  /** `deferred` leaves the declarations of all of them out of prompts. */
  sendTools(tools: Tools, options?: { deferred?: boolean }): Promise<void>;
  /**
   * The tools of a sandbox: `bash(command)`, and the file tools on the same files. A fork of this executor has a fork of the
   * sandbox, and a snapshot holds it; `cleanup` lets it go.
   */
  attach(sandbox: Sandbox): Promise<void>;
  /** Runs code. What it declares stays for the next run. `T` is what you expect of its output; nothing checks it. */
  run<T = unknown>(code: string, options?: RunOptions): Promise<RunOutput<T>>;
  /** Like `run`, but never fails: the error is in what it resolves to. */
  execute<T = unknown>(code: string, options?: RunOptions): Promise<Execution<T>>;
  /**
   * Runs code to its end, or until it waits for nothing but its host: for a tool that suspends, or for consent that nobody here
   * can give. Code does not notice. A run that failed is complete, with an error.
   */
  start<T = unknown>(code: string, options?: StartOptions): Promise<Started<T>>;
  /**
   * Answers calls of a suspended run by their ids, all or some, and takes it further: with a value, an `Error` that the call fails
   * with, `approve()` or `deny(reason)`. An answer that cannot be taken is `ERR_INVALID_ANSWER`; then none was, and the run waits
   * as before.
   */
  resume<T = unknown>(
    answers: Record<string, unknown>,
    options?: { yieldAfterMs?: number; signal?: AbortSignal; context?: unknown },
  ): Promise<Started<T>>;
  /** The run that waits for answers, if there is one. */
  suspension(): Promise<SuspendedRun | undefined>;
  /** Gives up the run that waits for answers. */
  abandon(): Promise<void>;
  /** Waits for the end of a run that goes on by itself, and fetches what came of it; or for so long, and it is "running" still. */
  wait<T = unknown>(id: string, options?: { yieldAfterMs?: number }): Promise<Started<T>>;
  /** Ends a run that goes on by itself: it fails with `ERR_CANCELLED`, and can be fetched. */
  cancelRun(id: string): void;
  /** Ends a run that goes on by itself, and forgets what came of it. */
  giveUp(id: string): Promise<void>;
  /** The ids of runs that go on by themselves, or have ended and were not fetched. */
  readonly backgroundRuns: string[];
  /**
   * What happens from here on, in order, until the loop is left or the executor is gone. If more than `maxUnread` (1,024) events, or
   * `maxUnreadBytes` (1 MiB) of them, wait to be read, the oldest go, and an event "missed" says how many. No run waits for it.
   */
  events(options?: { maxUnread?: number; maxUnreadBytes?: number }): AsyncIterableIterator<ExecutorEvent>;
  /** Calls off the run under way; it fails with `ERR_CANCELLED`. False if there is none. */
  cancel(): boolean;
  /**
   * Everything the executor holds, as bytes; files in memory and changes on top of a directory included. With a `base`, an earlier
   * snapshot, only what of its memory has changed since: `restore` needs both.
   */
  snapshot(options?: { base?: Uint8Array }): Promise<Buffer>;
  /** A second executor in the same state, tools and files included. */
  fork(): Promise<SESExecutor>;
  /**
   * Makes the executor ready again after `ERR_EXEC_TIMEOUT`, with its state: what the run had completed is there. That works where
   * the error says `details.recoverable`; where the run had to be torn out of its cell it is refused, and only `cleanup` and `init`
   * help.
   */
  recover(): Promise<void>;
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

export interface ModuleSpec {
  name: string;
  functions?: NamedToolSpec[];
  values?: Array<{ name: string; type?: string; schema?: JsonSchema; description?: string }>;
}

export interface PromptContext {
  tools?: NamedToolSpec[];
  /** What the modules in `authorizedImports` export. */
  modules?: ModuleSpec[];
  variables?: Array<{ name: string; type?: string; schema?: JsonSchema; description?: string }>;
  authorizedImports?: string[];
  /** The marks around code. The parser must be given the same ones. */
  tags?: CodeTags;
  customInstructions?: string;
  limits?: { maxOperations?: number; timeoutMs?: number | null; cpuTimeMs?: number | null; maxLogBytes?: number; maxSteps?: number };
  clock?: boolean;
  random?: boolean;
  timers?: boolean;
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

export interface ObservationOptions {
  /** The most characters (20,000). What is cut is said. */
  maxCharacters?: number;
  /** The same, counted in tokens: about four characters each. */
  maxTokens?: number;
}

/**
 * The text that a model should read next, after what `run` or `execute` gave, or what `run` threw: the result or the error with
 * its place in the code, what to do about it, what was printed, which tools were called.
 */
export function observation(report: RunOutput | Execution | Error, options?: ObservationOptions): string;

/** The code in a model's answer. Throws a `TypeError` whose message teaches the format: send it to the model. */
export function parseCode(answer: string, options?: ParseOptions): ParsedCode;

/** Gives a function what a model and the boundary need to know about it. */
export function tool<F extends ToolFunction>(fn: F, about: ToolSpec): F;

/** Tools from specifications: one handler for all, which gets the name first, or one for each. */
export function toolsFromSchemas(
  specs: Iterable<NamedToolSpec>,
  handlers: ((name: string, ...args: any[]) => unknown) | Record<string, ToolFunction>,
): Record<string, ToolFunction>;

export type FilesOptions =
  | {
      /** The directory. Nothing outside of it can be reached, by links neither. */
      root: string;
      /** Leaves out the tools that change files. */
      readOnly?: boolean;
      overlay?: never;
      memory?: never;
    }
  | {
      root: string;
      readOnly?: never;
      memory?: never;
      /** The directory stays as it is: changes are kept in memory until they are applied. */
      overlay: true;
      /** How much changes may take (64 MiB, 10,000 files). */
      maxBytes?: number;
      maxFiles?: number;
    }
  | {
      /** An empty file system in memory. */
      memory: true;
      root?: never;
      readOnly?: never;
      overlay?: never;
      /** How much it may hold (64 MiB, 10,000 files). */
      maxBytes?: number;
      maxFiles?: number;
    };

/** The result of one of the tools for models' eyes. */
export interface FileToolResult {
  content: Array<{ type: "text"; text: string } | { type: "image"; mimeType: string; data: string }>;
  details?: Record<string, unknown>;
}

/**
 * Files that sandboxes see. Those in memory, and changes on top of a directory, belong to the state of the executor that has tools on
 * them: a fork has a copy of its own (`fork.files`), and a snapshot carries them; after `restore`, send the tools of fresh ones.
 *
 * The methods are for you; code has the same as tools.
 */
export class Files {
  constructor(options: FilesOptions);
  /** The tools on these files, for `sendTools`. */
  tools(): Record<string, (...args: any[]) => Promise<unknown>>;
  readText(path: string): Promise<string>;
  readBytes(path: string, offset?: number, length?: number): Promise<Uint8Array>;
  readJson<T = unknown>(path: string): Promise<T>;
  readLines(path: string): AsyncGenerator<string, void>;
  /** Gives its length in bytes. Not there if the files are read-only. */
  writeText(path: string, text: string): Promise<number>;
  /** Names of directories end in `/`. */
  list(path?: string, recursive?: boolean): Promise<string[]>;
  exists(path: string): Promise<boolean>;
  read(args: { path: string; offset?: number; limit?: number }): Promise<FileToolResult>;
  write(args: { path: string; content: string }): Promise<FileToolResult>;
  edit(args: { path: string; oldText?: string; newText?: string; edits?: Array<{ oldText: string; newText: string }> }): Promise<FileToolResult>;
  grep(args: { pattern: string; path?: string; glob?: string; ignoreCase?: boolean; literal?: boolean; context?: number; limit?: number }): Promise<FileToolResult>;
  find(args: { pattern: string; path?: string; limit?: number }): Promise<FileToolResult>;
  ls(args?: { path?: string; limit?: number }): Promise<FileToolResult>;
  /** What is different from the directory, for `overlay`. */
  changes(): Promise<Array<{ path: string; kind: "added" | "modified" | "metadata" | "deleted" }>>;
  /** Makes the changes in the directory itself. Refused if somebody else has changed the same files meanwhile. */
  apply(): Promise<Array<{ path: string; kind: "added" | "modified" | "metadata" | "deleted" }>>;
}

/** `new Files(options).tools()`. */
export function fileTools(options: FilesOptions): Record<string, (...args: any[]) => Promise<unknown>>;

export interface SandboxLimits {
  /** Bytes of one command (1 MiB). */
  commandBytes?: number;
  /** Bytes that are kept of each of a command's two streams (1 MiB). */
  outputBytes?: number;
  /** Files, directories and links (100,000). */
  files?: number;
  /** Bytes in all files together (256 MiB). */
  fileBytes?: number;
  /** Processes at once (256). */
  processes?: number;
  /** The highest descriptor of a process, plus one (1,024). */
  descriptors?: number;
  /** Bytes that processes and the shell hold, beside files (256 MiB). */
  memoryBytes?: number;
  /** How long a command may take (30,000). */
  timeMs?: number;
  /** How long its processes may compute (30,000). */
  cpuTimeMs?: number;
  /** Functions within functions (1,000). */
  recursion?: number;
  /** Commands that wait for their turn (1,000). */
  queuedRuns?: number;
  /** Commands that the history remembers (1,000). */
  history?: number;
}

export type SandboxMount =
  | { /** A directory of this machine. */ directory: string; access?: "readOnly" | "overlay" | "readWrite" }
  | { /** An empty file system. */ access: "memory"; directory?: never };

/** Standard output or standard error of a command of yours. */
export interface CommandWriter {
  /** Waits while a pipe is full. */
  write(data: string | Uint8Array): Promise<void>;
}

/** Standard input of a command of yours. */
export interface CommandReader extends AsyncIterable<Uint8Array> {
  /** Some bytes, or `null` at the end. */
  read(): Promise<Uint8Array | null>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}

/** A call of a command of yours by the shell. */
export interface CommandCall {
  name: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: CommandReader;
  stdout: CommandWriter;
  stderr: CommandWriter;
}

/** Returns an exit code, or nothing for 0. What it throws is printed, and is exit code 1. */
export type SandboxCommand = (call: CommandCall) => number | void | Promise<number | void>;

export interface SandboxOptions {
  /** How long a command may take (30,000). */
  timeoutMs?: number;
  limits?: SandboxLimits;
  /** Variables beside the usual ones. */
  env?: Record<string, string>;
  /** Where commands begin (`/workspace`). */
  cwd?: string;
  /** Files that are there from the beginning. */
  files?: Record<string, string | Uint8Array>;
  mounts?: Record<string, SandboxMount>;
  /** The programs that may be run, and no others. */
  allowedCommands?: string[];
  /**
   * Programs for WASI preview 1: all that are installed on this machine (`hotcell program add`), or by name: `true` for the one that
   * is installed, or the path of a `.wasm` file.
   */
  programs?: "installed" | Record<string, true | string>;
  /** What `curl` and `wget` may reach (nothing). */
  network?: NetworkPolicy;
  /** Commands that are functions of yours. They stand in pipelines as any other. */
  commands?: Record<string, SandboxCommand>;
  clock?: "none" | "real" | { fixed: number };
  random?: "none" | "real" | { seed: number };
  /** What happens to a command while another one is running ("queue"). */
  concurrency?: "queue" | "refuse";
  /** Where commands run: on threads of this process, or in a jailed process of their own ("thread"). */
  isolation?: "thread" | "process";
  /** Whether a process whose jail lacks a part on this system must not run (it runs). */
  requireJail?: boolean;
  /** Seals snapshots, and takes only those that it has sealed. */
  snapshotKey?: string;
  /** Hears of everything that is decided about the sandbox and its forks, in its order. */
  onAudit?: (event: AuditEvent) => void;
}

/** What a sandbox may reach. What nothing allows is refused, and says what is allowed. */
export interface NetworkPolicy {
  /** `[SCHEME://]HOST[:PORTS][/PATH] [METHODS]`: "api.example.com", "https://*.example.com/v1/ GET,POST". What is left out is HTTPS, its port, GET and HEAD. */
  rules?: Array<string | NetworkRule>;
  /** Names may lead to private and loopback addresses. */
  allowPrivate?: boolean;
  /** Networks that names may lead to although they are not on the internet: "10.1.0.0/16". */
  allowAddresses?: string[];
  /** Networks that nothing may lead to, whatever else is said. */
  denyAddresses?: string[];
  /** `curl -k` is allowed. No secret goes there. */
  allowInsecureTls?: boolean;
  /** Which authorities vouch for servers ("bundled"). */
  roots?: "bundled" | "system" | "none";
  /** Certificates of further authorities, as PEM. */
  extraRoots?: string[];
  /** Credentials that are added on the wire, and that nothing inside sees. */
  secrets?: NetworkSecret[];
  limits?: {
    requestBytes?: number;
    responseBytes?: number;
    connectTimeoutMs?: number;
    timeoutMs?: number;
    redirects?: number;
    /** Requests under way at once; more wait. */
    concurrent?: number;
  };
}

export interface NetworkRule {
  host: string;
  schemes?: Array<"http" | "https" | "tcp">;
  /** Ports, or ranges as text: "8000-8100". */
  ports?: Array<number | string>;
  /** `["*"]` is any. */
  methods?: string[];
  pathPrefix?: string;
}

export interface NetworkSecret {
  /** What errors and events call it. */
  name: string;
  hosts: string[];
  value: string;
  /** Where it goes (`Authorization: Bearer …`). */
  place?: { in: "header"; name: string; prefix?: string } | { in: "query"; name: string } | { in: "basic"; user: string };
  /** Whether it may go over plain HTTP. */
  allowHttp?: boolean;
}

/** Something that was decided: `sandbox` is the `id` of the sandbox, `run` the number of the run in it. */
export type AuditEvent = { sandbox: number; run?: number } & (
  | { event: "create"; origin: "new" | "fork" | "snapshot"; /** Of a fork. */ of?: number }
  | { event: "start"; command: string }
  | {
      event: "end";
      exitCode: number;
      durationMs: number;
      errorClass?: SandboxResult["errorClass"];
      /** How often something was refused or requested beyond the 1,000 times that were told. */
      untold?: number;
    }
  | { event: "kill"; reason: "timeout" | "cpuTime" | "cancelled" | "destroyed" | "dropped" }
  | { event: "crash"; how: string }
  | { event: "deny"; capability: "program" | "network"; subject: string; reason: string }
  | { event: "limit"; limit: string }
  | { event: "mount"; path: string; kind: "memory" | "readOnly" | "overlay" | "readWrite" | "custom" }
  | { event: "unmount"; path: string }
  | { event: "network"; method: string; url: string; status?: number; sent: number; received: number }
  | { event: "destroy" }
);

export interface SandboxRunOptions {
  stdin?: string | Uint8Array;
  timeoutMs?: number;
  /** Kills the command: exit code 125, `CANCELLED`. */
  signal?: AbortSignal;
  /** Hears of output as it comes. */
  onOutput?: (output: { stream: "stdout" | "stderr"; text: string; bytes: Uint8Array }) => void;
}

/** What came of a command, whatever it was. */
export interface SandboxResult {
  /** The command's own; 124 after the time limit, 125 if it was cancelled, 152 after the limit of CPU time. */
  exitCode: number;
  ok: boolean;
  /** What it printed, also if it was killed. What is not UTF-8 is replaced. */
  stdout: string;
  stderr: string;
  stdoutBytes: Uint8Array;
  stderrBytes: Uint8Array;
  /** How many bytes are missing because of the limit of output. */
  truncated: { stdout: number; stderr: number };
  /** What kind of failure it was, if it was more than a command that failed. */
  errorClass?: "TIMEOUT" | "CANCELLED" | "LIMIT_EXCEEDED" | "CAPABILITY_DENIED" | "WORKER_CRASHED";
  /** The same in words. */
  error?: string;
  limits: string[];
  denials: Array<{ capability: string; subject: string; reason: string }>;
  durationMs: number;
  cpuMs: number;
  peakMemoryBytes: number;
}

export interface SandboxStat {
  type: "file" | "directory" | "symlink" | "characterDevice" | "blockDevice" | "fifo" | "socket";
  size: number;
  mode: number;
  modifiedMs: number;
}

/** Why a sandbox did not do what it was asked for: `ENOENT`, `DESTROYED`, `BUSY`… */
export class SandboxError extends Error {
  readonly code: string;
  readonly path?: string;
}

/**
 * A bash-like shell with the usual utilities over files of its own. None of its commands is a process of the machine, and none
 * sees a file, a variable or an address that it was not given. Relative paths begin where the next command does.
 */
export class Sandbox {
  constructor(options?: SandboxOptions);
  /** A sandbox as it was when `snapshot` was taken. Commands of yours must be given again. */
  static restore(snapshot: Uint8Array, options?: SandboxOptions): Promise<Sandbox>;
  /** Its number in this process. */
  readonly id: number;
  readonly isRunning: boolean;
  readonly isDestroyed: boolean;
  /** Runs a line, or a whole script. One command runs at a time; the shell stays as it leaves it. */
  run(command: string | Uint8Array, options?: SandboxRunOptions): Promise<SandboxResult>;
  /** Ends the command under way. False if there is none. */
  cancel(): boolean;
  /** A second sandbox in the same state. It takes microseconds however much there is. */
  fork(): Promise<Sandbox>;
  /** Files, shell and history, as bytes. */
  snapshot(): Promise<Uint8Array>;
  /** Ends everything, and gives files and shell up. */
  destroy(): void;
  readFile(path: string): Promise<Uint8Array>;
  readFile(path: string, encoding: "utf8" | "latin1" | "base64" | "hex"): Promise<string>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  appendFile(path: string, content: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<SandboxStat>;
  /** The same; a symbolic link is not followed. */
  lstat(path: string): Promise<SandboxStat>;
  exists(path: string): Promise<boolean>;
  list(path?: string): Promise<Array<{ name: string; type: SandboxStat["type"] }>>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  /** Everything below a directory, as a tar archive. */
  export(path?: string): Promise<Uint8Array>;
  /** Puts what is in a tar archive below a directory. What leads out of it is refused. */
  import(path: string, archive: Uint8Array): Promise<void>;
  mount(path: string, mount: SandboxMount): Promise<void>;
  unmount(path: string): Promise<void>;
  /** The value of a variable of the shell, exported or not. */
  getEnv(name: string): Promise<string | undefined>;
  setEnv(name: string, value: string): Promise<void>;
  unsetEnv(name: string): Promise<void>;
  history(): Promise<Array<{ command: string; exitCode: number; durationMs: number; errorClass?: SandboxResult["errorClass"] }>>;
  /** Where the next command begins. */
  cwd(): Promise<string>;
}

/** The version of this package's library. */
export const version: string;
/** Names the build of the sandbox's image: snapshots are good for one build. */
export const buildId: string;
