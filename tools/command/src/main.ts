import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { adviceFor, EXIT, errorAsJson, exitCodeOf, UsageError } from './errors.js';
import { printable } from './output/output.js';
import { program } from './program.js';

/** Command groups of the operator's command, which is installed with Postern. */
const ADMINISTRATION = ['audit', 'bounces', 'doctor', 'events', 'keys', 'projections', 'recipients', 'users'];
const OPERATOR_COMMAND = '@postern/cli/main';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const isAdministration = (args: readonly string[]): boolean => {
  const [first = ''] = args;
  return ADMINISTRATION.includes(first) || first === '--home' || first === '--nats-password-stdin';
};

const administer = async (): Promise<void> => {
  try {
    await import(OPERATOR_COMMAND);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('This command administers a Postern installation. Run it where Postern is installed.');
  }
};

const run = async (args: readonly string[]): Promise<void> => {
  if (isAdministration(args)) return administer();
  const command = program(version);
  for (const each of [command, ...command.commands, ...command.commands.flatMap(({ commands }) => commands)])
    each.exitOverride();
  await command.parseAsync([...args], { from: 'user' });
};

const report = (error: unknown, json: boolean): void => {
  if (json) process.stdout.write(`${JSON.stringify(errorAsJson(error))}\n`);
  const advice = adviceFor(error);
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`Error: ${[message, ...(advice === undefined ? [] : [advice])].map(printable).join('\n')}\n`);
};

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);

const args = process.argv.slice(2);
try {
  await run(args);
} catch (error) {
  // Commander has already printed the help or the error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    report(error, args.includes('--json'));
    process.exitCode = exitCodeOf(error);
  }
}
