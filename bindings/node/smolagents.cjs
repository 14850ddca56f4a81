'use strict';
// An executor for agents in the manner of smolagents: a loop that sends tools and variables, then runs step after step.

const { Files, SESExecutor, observation, parseCode, tool } = require('./index.cjs');

/** An executor that sends its tools and variables by itself whenever it is made ready. */
class CodeExecutor extends SESExecutor {
  #tools;
  #variables;

  constructor(options = {}, made = undefined) {
    if (typeof options === 'symbol') {
      super(options, made);
      return;
    }
    const { workspace, readOnly, overlay, files = workspace === undefined ? undefined : new Files({ root: workspace, readOnly, overlay }), tools = {}, variables = {}, ...rest } = options;
    super(rest);
    this.#tools = { ...files?.tools(), ...(Array.isArray(tools) ? toolsFromAgent(tools) : tools) };
    this.#variables = variables;
  }

  async init() {
    if (this.state === 'READY') return;
    await super.init();
    if (Object.keys(this.#tools ?? {}).length > 0) await this.sendTools(this.#tools);
    if (Object.keys(this.#variables ?? {}).length > 0) await this.sendVariables(this.#variables);
  }

  /**
   * One step of an agent: takes the code out of a model's answer, runs it, and says what the model should read next. An executor
   * that a step left DIRTY is made ready again, with its state if it is whole. Never throws for what the model did.
   */
  async step(answer, { tags, observation: budget, ...options } = {}) {
    let code;
    try {
      ({ code } = parseCode(answer, tags === undefined ? {} : { tags }));
    } catch (error) {
      // Its words teach the format.
      return { observation: error.message, is_final_answer: false, output: undefined, error };
    }
    const execution = await this.execute(code, options);
    if (this.state === 'DIRTY') {
      if (execution.error?.details?.recoverable) {
        await this.recover();
      } else {
        await this.cleanup();
        await this.init();
      }
    }
    return { ...execution, code, observation: observation(execution, budget) };
  }
}

/**
 * Tools in the manner of smolagents (name, description, inputs, output_type, and a method that does the work) as functions
 * with a schema.
 */
function toolsFromAgent(tools) {
  const functions = {};
  for (const one of tools) {
    const work = one.forward ?? one.call ?? one.execute;
    if (typeof one.name !== 'string' || typeof work !== 'function') {
      throw new TypeError('a tool of an agent needs a name and one of the methods forward, call and execute');
    }
    const inputs = one.inputs ?? {};
    const names = Object.keys(inputs);
    functions[one.name] = tool((...args) => Reflect.apply(work, one, args), {
      description: one.description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, schemaOf(inputs[name])])),
        required: names.filter((name) => !inputs[name].nullable && !inputs[name].optional),
      },
      returns: one.output_type === undefined ? undefined : schemaOf({ type: one.output_type }),
      positional: true,
    });
  }
  return functions;
}

const JSON_TYPES = ['string', 'boolean', 'integer', 'number', 'array', 'object', 'null'];

/** smolagents knows types that JSON Schema does not (`any`, `image`, …): of those nothing is checked. */
function schemaOf({ type, description, enum: values, items, nullable }) {
  const types = [type].flat().filter((one) => JSON_TYPES.includes(one));
  const isKnown = types.length > 0 && types.length === [type].flat().length;
  return {
    ...(isKnown ? { type: nullable && !types.includes('null') ? [...types, 'null'] : types.length === 1 ? types[0] : types } : {}),
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items }),
  };
}

/** An executor for an agent. */
function createExecutor(options) {
  return new CodeExecutor(options);
}

module.exports = { CodeExecutor, createExecutor, toolsFromAgent };
