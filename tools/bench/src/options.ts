import { parseArgs } from 'node:util';

export const PARTS = [
  'email',
  'webhooks',
  'events',
  'platform',
  'idle',
  'tracing',
  'attack',
  'growth',
  'replicas',
] as const;
export type Part = (typeof PARTS)[number];

/** Growth takes gigabytes of disk, and replicas take many processes, so both are measured on request. */
const BY_DEFAULT: readonly Part[] = PARTS.filter(part => part !== 'growth' && part !== 'replicas');

/** Options of a run; `quick` only tests the benchmark itself. */
export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly quick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  /** Emails per second of the open loop of `attack`. */
  readonly perSecond: number;
  /** Messages that `growth` loads. */
  readonly messages: number;
  readonly json: string | undefined;
  /** Writes the results of the parts into docs/figures.md. */
  readonly publish: boolean;
  /** Folder for CPU profiles of email-send and api-gateway, written when they stop. */
  readonly profile: string | undefined;
}

const USAGE = `npm run bench -- [${PARTS.join('|')} …] [--rounds 5] [--seconds 10] [--per-second 300] [--messages 1000000] [--quick] [--json FILE] [--publish] [--profile FOLDER]`;

/** The arguments are invalid; the message has the reason and the usage. */
export class UsageError extends Error {
  constructor(reason: string) {
    super(`${reason}\n${USAGE}`);
  }
}

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        'per-second': { type: 'string' },
        messages: { type: 'string' },
        json: { type: 'string' },
        publish: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** @throws UsageError */
export const readOptions = (args: readonly string[]): BenchOptions => {
  const { values, positionals } = parsed(args);
  const unknown = positionals.find(part => !PARTS.includes(part as Part));
  if (unknown !== undefined) throw new UsageError(`unknown part "${unknown}"`);
  return {
    parts: positionals.length > 0 ? (positionals as Part[]) : BY_DEFAULT,
    quick: values.quick,
    rounds: positive('--rounds', values.rounds, values.quick ? 1 : 5),
    seconds: positive('--seconds', values.seconds, values.quick ? 5 : 10),
    perSecond: positive('--per-second', values['per-second'], 300),
    messages: positive('--messages', values.messages, values.quick ? 20_000 : 1_000_000),
    json: values.json,
    publish: values.publish,
    profile: values.profile,
  };
};

const positive = (name: string, text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`${name} must be an integer of at least 1`);
  return value;
};
