import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { SetVariableBody } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group, type Invocation, invocation } from '../command-line.js';
import { UsageError, withNames } from '../errors.js';
import { EFFECT, onService, SERVICE, type ServiceOptions } from './on-service.js';

interface EnvOptions extends ServiceOptions {
  /** Undefined without `--secret` and `--no-secret`: existing variables keep their setting. */
  readonly secret?: boolean;
  readonly file?: string;
}

/** `postern env …`: environment variables of a web service. */
export const env = (): Command =>
  group('env', 'Environment variables of a web service', [list(), resolved(), set(), unset()]);

const list = (): Command =>
  command('list', 'List the variables; secret values are masked', ['postern env list --service storefront'])
    .option(...SERVICE)
    .action(async (options: EnvOptions) => {
      const { output, platform, id } = await onService(options);
      const variables = await platform.environment.list(id);
      const rows = variables.map(({ key, value, is_secret }) => [key, value, is_secret ? 'secret' : '']);
      output.rows(variables, ['KEY', 'VALUE', ''], rows, 'No variables.');
    });

const resolved = (): Command =>
  command('resolved', 'List the variables that a start would use, with their origins', [
    'postern env resolved --service storefront',
  ])
    .option(...SERVICE)
    .action(async (options: EnvOptions) => {
      const { output, platform, id } = await onService(options);
      const variables = await platform.environment.resolved(id);
      const rows = variables.map(({ key, value, origin, running }) => [
        key,
        value,
        origin,
        RUNNING[String(running)] ?? '',
      ]);
      output.rows(variables, ['KEY', 'VALUE', 'ORIGIN', 'RUNNING'], rows, 'No variables.');
    });

const RUNNING: Readonly<Record<string, string>> = { true: 'yes', false: 'no, restart to apply' };

const set = (): Command =>
  command('set', 'Create or update variables, all or none', [
    'postern env set LOG_LEVEL=debug REGION=eu --service storefront',
    'postern env set API_TOKEN --secret --service storefront      # asks for the value',
    'postern env set API_TOKEN --secret --service storefront < token.txt',
    'postern env set --file .env --secret --service storefront',
    'postern env set API_TOKEN --no-secret --service storefront   # asks for the value, and shows it from now on',
  ])
    .argument('[variables...]', 'KEY=value, or one KEY whose value is asked for or is standard input')
    .option('--secret', 'mask the values from now on; they cannot be read again')
    .option('--no-secret', 'show the values from now on; by default, existing variables stay as they are')
    .option('--file <path>', 'read the variables from a .env file')
    .option(...SERVICE)
    .addHelpText('after', `\n${EFFECT}`)
    .action(async (pairs: readonly string[], options: EnvOptions) => setVariables(invocation(options), pairs, options));

const setVariables = async (run: Invocation, pairs: readonly string[], options: EnvOptions): Promise<void> => {
  const entries = [...fileEntries(options.file), ...(await argumentEntries(run, pairs, options))];
  if (entries.length === 0) throw new UsageError('Specify a variable: KEY=value, KEY, or --file <path>.');
  const masking = options.secret === undefined ? {} : { is_secret: options.secret };
  const variables = entries.map(([key, value]): SetVariableBody => ({ key, value, ...masking }));
  const { output, platform, id } = await onService(options, run);
  const result = await platform.environment.setAll(id, variables).catch(error => {
    throw withNames(error, 'variables', variables, 'key');
  });
  const { created, updated } = result;
  output.result(result, `${created.length} created, ${updated.length} updated. ${EFFECT}`);
};

const fileEntries = (path: string | undefined): readonly (readonly [string, string])[] => {
  if (path === undefined) return [];
  try {
    return Object.entries(parseEnv(readFileSync(path, 'utf8'))).map(([key, value]) => [key, value ?? '']);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
};

const argumentEntries = async (
  { input }: Invocation,
  pairs: readonly string[],
  { secret }: EnvOptions,
): Promise<readonly (readonly [string, string])[]> => {
  const [only = ''] = pairs;
  if (pairs.length === 1 && !only.includes('=')) {
    const value = input.isTerminal ? await input.secret(`Value of ${only}`) : (await input.all()).replace(/\r?\n$/, '');
    input.close();
    return [[only, value]];
  }
  if (secret && pairs.length > 0)
    throw new UsageError(
      'Other users of this machine can see arguments. Give the KEY only, and the value as standard input.',
    );
  return pairs.map(pair => {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new UsageError(`${JSON.stringify(pair)} is not KEY=value. Without a value, set one KEY at a time.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
};

const unset = (): Command =>
  command('unset', 'Delete variables', ['postern env unset LOG_LEVEL REGION --service storefront'])
    .argument('<keys...>', 'keys of the variables')
    .option(...SERVICE)
    .addHelpText('after', `\n${EFFECT}`)
    .action(async (given: readonly string[], options: EnvOptions) => {
      const keys = [...new Set(given)];
      const { output, platform, id } = await onService(options);
      const variables = await platform.environment.list(id);
      const found = keys.map(key => {
        const variable = variables.find(known => known.key === key);
        if (!variable) throw new UsageError(`There is no variable ${key}. Nothing was deleted.`);
        return variable;
      });
      for (const variable of found) await platform.environment.delete(id, variable.id);
      output.result({ deleted: keys }, `${keys.length} deleted. ${EFFECT}`);
    });
