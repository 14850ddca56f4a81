// Executors at the other end of a channel: a thread or a process that evaluates what it is sent and can be killed.

/**
 * The near end. `channel` has `send(message)`, `onMessage(listener)`, `onEnd(listener)` and `kill()`. Resolves when the
 * far end is ready.
 */
export async function connect(channel, { timeoutMs, tools }) {
  let settle;
  const next = () => new Promise((resolve, reject) => { settle = { resolve, reject }; });
  const ready = next();
  channel.onEnd((reason) => settle.reject(new Error(reason)));
  channel.onMessage(async (message) => {
    if ('call' in message) channel.send({ answer: message.call, value: await tools.tool(message.argument) });
    else if ('error' in message) settle.reject(new Error(message.error));
    else settle.resolve(message.value);
  });
  await ready;
  return {
    async run(code) {
      const result = next();
      const timer = setTimeout(() => channel.kill(), timeoutMs);
      channel.send({ code });
      try { return await result; } finally { clearTimeout(timer); }
    },
    drop: () => channel.kill(),
  };
}

/** The far end: tells that it is ready, and returns what receives its messages. */
export function serve(send) {
  const AsyncFunction = (async () => {}).constructor;
  const waiting = new Map();
  let calls = 0;
  globalThis.tool = (argument) => new Promise((resolve) => {
    waiting.set(++calls, resolve);
    send({ call: calls, argument });
  });
  send({ value: 'ready' });
  return async ({ code, answer, value }) => {
    if (code === undefined) {
      waiting.get(answer)(value);
      waiting.delete(answer);
      return;
    }
    try { send({ value: await new AsyncFunction(code)() }); } catch (error) { send({ error: String(error) }); }
  };
}
