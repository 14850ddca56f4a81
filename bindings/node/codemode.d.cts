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
  /** Whether functions take their arguments one by one and not as one object. */
  positionalArgs?: boolean;
}

/** The `Executor` of codemode. */
export interface Executor {
  execute(
    code: string,
    providersOrFns: ResolvedProvider[] | Record<string, (...args: any[]) => Promise<unknown>>,
  ): Promise<ExecuteResult>;
}

/** Runs each program in a sandbox of its own. Never throws. Defaults: 30 seconds, any number of loop iterations. */
export class HotcellExecutor implements Executor {
  constructor(options?: ExecutorOptions);
  execute(
    code: string,
    providersOrFns?: ResolvedProvider[] | Record<string, (...args: any[]) => Promise<unknown>>,
  ): Promise<ExecuteResult>;
}

export function createExecutor(options?: ExecutorOptions): HotcellExecutor;
