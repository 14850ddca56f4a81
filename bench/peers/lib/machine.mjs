import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the machine says of itself. */
export function machine() {
  const { model } = cpus()[0] ?? { model: 'unknown processor' };
  return {
    processor: model, cores: availableParallelism(), memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`, load: loadavg()[0],
  };
}
