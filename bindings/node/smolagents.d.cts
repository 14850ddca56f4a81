import { SESExecutor, type CodeTags, type Execution, type ExecutorOptions, type Files, type ObservationOptions, type RunOptions, type ToolFunction, type Tools } from "./index.cjs";

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
  /** Whether the directory stays as it is: see `Files`. */
  overlay?: boolean;
  /** Files of your own, in the place of `workspace`. */
  files?: Files;
  /** Sent whenever the executor is made ready. */
  tools?: Tools | AgentTool[];
  /** Sent whenever the executor is made ready. */
  variables?: Record<string, unknown>;
}

/** An executor that sends its tools and variables by itself, also after it had to be made anew. */
export class CodeExecutor extends SESExecutor {
  constructor(options?: CodeExecutorOptions);
  /**
   * One step of an agent: takes the code out of a model's answer, runs it, and says what the model should read next. An executor
   * that a step left DIRTY is made ready again. Never throws for what the model did.
   */
  step(answer: string, options?: StepOptions): Promise<Step>;
}

export interface StepOptions extends RunOptions {
  /** The marks that the prompt asked for. */
  tags?: CodeTags;
  /** How long the observation may be. */
  observation?: ObservationOptions;
}

export interface Step extends Partial<Execution> {
  /** Absent if there was none in the answer. */
  code?: string;
  /** What the model should read next. */
  observation: string;
  is_final_answer: boolean;
  output: unknown;
}

export function createExecutor(options?: CodeExecutorOptions): CodeExecutor;

/** Tools in the manner of smolagents as functions with a schema. */
export function toolsFromAgent(tools: AgentTool[]): Record<string, ToolFunction>;
