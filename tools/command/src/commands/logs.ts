import type { LogLine } from '@postern/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import { interrupted } from '../interruption.js';
import { webServiceNamed } from '../web-services.js';
import { integer } from './emails.js';

interface LogOptions {
  readonly follow?: boolean;
  readonly tail: number;
  readonly since?: number;
  readonly json?: boolean;
}

/** Maximum number of earlier lines of a stream. */
const MAX_FOLLOWED = 1_000;

/** `postern logs`: prints the log of a web service; follows it with `--follow`. */
export const logs = (): Command =>
  command('logs', 'Print the log of a web service, builds included', [
    'postern logs storefront',
    'postern logs storefront -f',
    'postern logs storefront --since 15m --tail 1000 --json',
  ])
    .argument('[service]', 'id or name of the web service; POSTERN_WEB_SERVICE, or the only one, by default')
    .option('-f, --follow', 'print new lines until Ctrl-C')
    .option(
      '--tail <n>',
      'number of lines to begin with, at most 10000, or 1000 with --follow',
      integer(1, 10_000),
      100,
    )
    .option('--since <age>', 'lines of the last 30s, 15m, 2h or 7d', ageFrom)
    .action(async (service: string | undefined, options: LogOptions) => print(invocation(options), service, options));

const print = async (
  { context, output }: Invocation,
  wanted: string | undefined,
  options: LogOptions,
): Promise<void> => {
  const { follow, tail, since } = options;
  if (follow && since !== undefined) throw new UsageError('Use --follow or --since, not both.');
  if (follow && tail > MAX_FOLLOWED) throw new UsageError(`--follow begins with at most ${MAX_FOLLOWED} lines.`);
  const platform = context.platform();
  const { id } = await webServiceNamed(platform, context, wanted);
  const show = (line: LogLine) =>
    output.line(line, `${line.timestamp} ${line.instance} ${line.stream}: ${line.message}`);
  if (!follow) {
    const at = since === undefined ? {} : { since: Math.floor(Date.now() / 1_000) - since };
    for (const line of await platform.logs.get(id, { tail, ...at })) show(line);
    return;
  }
  const signal = interrupted();
  try {
    for await (const line of platform.logs.follow(id, { tail, signal })) show(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function ageFrom(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be a number with a unit: 30s, 15m, 2h or 7d.');
  return Number(number) * (UNITS[unit] ?? 1);
}
