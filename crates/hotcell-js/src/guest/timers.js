// Timers: the process sleeps for us.

let lastTimer = 0;
const timers = new Set();

function startTimer(delay, again, callback, given) {
  if (typeof callback !== 'function') throw new TypeError('a timer takes a function');
  const id = ++lastTimer;
  timers.add(id);
  const tick = async () => {
    do {
      await later(Math.max(1, Number(delay) || 0));
      if (!timers.has(id)) return;
      if (!again) timers.delete(id);
      callback(...given);
    } while (timers.has(id));
  };
  const ticking = tick();
  // A timer that was cleared is waited for no longer.
  waiting.set(id, ticking);
  pending.add(ticking);
  ticking.finally(() => stopTimer(id)).catch(() => {});
  return id;
}

const waiting = new Map();

function stopTimer(id) {
  timers.delete(id);
  pending.delete(waiting.get(id));
  waiting.delete(id);
}

const timerFunctions = {
  setTimeout: (callback, delay, ...given) => startTimer(delay, false, callback, given),
  setInterval: (callback, delay, ...given) => startTimer(delay, true, callback, given),
  setImmediate: (callback, ...given) => startTimer(0, false, callback, given),
  clearTimeout: stopTimer,
  clearInterval: stopTimer,
  clearImmediate: stopTimer,
};

const timersPromises = {
  setTimeout: async (delay, value) => {
    await later(Number(delay) || 0);
    return value;
  },
};

