import { parseArgs } from 'node:util';

/** Options of a fuzzer run. */
export interface FuzzOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Only targets whose name contains one of these. */
  readonly only: readonly string[];
}

const USAGE = 'npm run fuzz -- [--minutes 60] [--seed 7] [--only NAME]…';

/** @throws Error with the usage if an argument is not valid. */
export const readFuzzOptions = (args: readonly string[]): FuzzOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: '7' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && Number.isFinite(minutes))) throw new Error(`--minutes must be above 0\n${USAGE}`);
  if (!Number.isInteger(seed)) throw new Error(`--seed must be a whole number\n${USAGE}`);
  return { minutes, seed, only: values.only };
};
