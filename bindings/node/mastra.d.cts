import type { ExecutorOptions } from "./index.cjs";

export interface CodeModeToolResult {
  success: boolean;
  result?: unknown;
  logs?: string[];
  error?: { message: string; name?: string; line?: number };
}

/** The `CodeModeTransport` of Mastra: runs each program in a sandbox of its own. Never throws. Time that tools take is free. */
export class HotcellTransport {
  constructor(options?: ExecutorOptions);
  readonly requiresSandbox: false;
  run(opts: {
    program: string;
    toolIds: string[];
    dispatch: (tool: string, args: unknown) => Promise<unknown>;
    timeout: number;
    abortSignal?: AbortSignal;
    onExternalCall?: (tool: string, args: unknown) => void;
    onExternalResult?: (tool: string, durationMs: number, error?: unknown) => void;
  }): Promise<CodeModeToolResult>;
}

/** For `createCodeMode({ tools }, createTransport())`. */
export function createTransport(options?: ExecutorOptions): HotcellTransport;
