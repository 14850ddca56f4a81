import type { ExecutorOptions } from "./index.cjs";

export interface ExecuteResult {
  result: unknown;
  error?: string;
  logs?: string[];
}

/** Functions under a name of their own: `name.fn(…)` in the sandbox. */
export interface ResolvedProvider {
  /** `codemode` by default. */
  name: string;
  fns: Record<string, (...args: any[]) => Promise<unknown>>;
  /** Code that is run before the program, for functions that the namespace has inside: `name.step = async (…) => { … }`. */
  prelude?: string;
}

/** A namespace whose functions are not known: `name.method(argument)` is `binding.callTool("method", argument)`. */
export interface ConnectorBinding {
  name: string;
  binding: { callTool(method: string, args: unknown): Promise<unknown> };
}

export interface ExecuteOptions {
  connectors?: ConnectorBinding[];
}

/** The `Executor` of codemode. */
export interface Executor {
  execute(
    code: string,
    providersOrFns: ResolvedProvider[] | Record<string, (...args: any[]) => Promise<unknown>>,
    options?: ExecuteOptions,
  ): Promise<ExecuteResult>;
}

/**
 * Runs each program in a sandbox of its own. Never throws. Defaults: 30 seconds of computing, any time in
 * functions (`timeoutMs: null`), any number of loop iterations.
 */
export class HotcellExecutor implements Executor {
  constructor(options?: ExecutorOptions);
  execute(
    code: string,
    providersOrFns?: ResolvedProvider[] | Record<string, (...args: any[]) => Promise<unknown>>,
    options?: ExecuteOptions,
  ): Promise<ExecuteResult>;
}

export function createExecutor(options?: ExecutorOptions): HotcellExecutor;
