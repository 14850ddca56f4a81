import { SESExecutor, type ExecutorOptions, type ToolFunction, type Tools } from "./index.cjs";

/** A tool in the manner of smolagents. One of the three methods does the work. */
export interface AgentTool {
  name: string;
  description?: string;
  inputs?: Record<
    string,
    { type: string | string[]; description?: string; nullable?: boolean; optional?: boolean; enum?: unknown[]; items?: object }
  >;
  output_type?: string;
  forward?: ToolFunction;
  call?: ToolFunction;
  execute?: ToolFunction;
}

export interface CodeExecutorOptions extends ExecutorOptions {
  /** A directory that the code may work in, with the file tools. */
  workspace?: string;
  /** Whether it may only read there. */
  readOnly?: boolean;
  /** Sent whenever the executor is made ready. */
  tools?: Tools | AgentTool[];
  /** Sent whenever the executor is made ready. */
  variables?: Record<string, unknown>;
}

/** An executor that sends its tools and variables by itself, also after it had to be made anew. */
export class CodeExecutor extends SESExecutor {
  constructor(options?: CodeExecutorOptions);
}

export function createExecutor(options?: CodeExecutorOptions): CodeExecutor;

/** Tools in the manner of smolagents as functions with a schema. */
export function toolsFromAgent(tools: AgentTool[]): Record<string, ToolFunction>;
