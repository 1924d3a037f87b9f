import { parseArgs } from 'node:util';

/** Options of a run. */
export interface FaultOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly perSecond: number;
  /** Ends the run after this number of faults, if that is earlier. */
  readonly faults: number;
  /** Only faults whose name contains one of these. */
  readonly only: readonly string[];
  /** Number of events in the log before the run begins. */
  readonly preload: number;
  /** Each service has a PostgreSQL cluster of its own, on TCP. */
  readonly clusters: boolean;
  readonly json: string | undefined;
  /** Only prints the first steps of the schedule. */
  readonly plan: boolean;
  /** Folder for the logs of all services at the end of the run. */
  readonly logs: string | undefined;
}

const USAGE =
  'npm run faults -- [--minutes 30] [--seed 7] [--rate 5] [--faults N] [--only NAME]… [--preload EVENTS] [--clusters] [--json FILE] [--logs FOLDER] [--plan]';

/** The command line is not valid; the message has the reason and the usage. */
export class UsageError extends Error {
  constructor(reason: string) {
    super(`${reason}\n${USAGE}`);
  }
}

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '30' },
        seed: { type: 'string', default: '7' },
        rate: { type: 'string', default: '5' },
        faults: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        preload: { type: 'string', default: '0' },
        json: { type: 'string' },
        clusters: { type: 'boolean', default: false },
        plan: { type: 'boolean', default: false },
        logs: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** @throws UsageError */
export const readOptions = (args: readonly string[]): FaultOptions => {
  const { minutes, seed, rate, faults, only, preload, clusters, json, plan, logs } = parsed(args);
  return {
    minutes: number('--minutes', minutes, { above: 0 }),
    seed: number('--seed', seed, { whole: true }),
    perSecond: number('--rate', rate, { above: 0 }),
    faults: faults === undefined ? Number.POSITIVE_INFINITY : number('--faults', faults, { above: 0, whole: true }),
    only,
    preload: number('--preload', preload, { whole: true }),
    clusters,
    json,
    plan,
    logs,
  };
};

const number = (
  name: string,
  text: string,
  { above = -1, whole = false }: { above?: number; whole?: boolean },
): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= above || (whole && !Number.isInteger(value)))
    throw new UsageError(`${name} must be a ${whole ? 'whole ' : ''}number above ${above}, not "${text}"`);
  return value;
};
