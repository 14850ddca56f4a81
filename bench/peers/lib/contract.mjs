// Both SES on Node and hotcell's Node package have the executor contract, so both are driven in the same way.

/** `create` of a peer for a class with `init`, `sendTools`, `run` and `cleanup`. */
export const creates = (Executor, named) => async (options) => {
  const executor = new Executor(named(options));
  await executor.init();
  if (Object.keys(options.tools).length > 0) await executor.sendTools(options.tools);
  return {
    run: async (code) => (await executor.run(code)).output,
    drop: () => executor.cleanup(),
  };
};
