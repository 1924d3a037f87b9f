import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { adviceFor, EXIT, errorAsJson, exitCodeOf } from './errors.js';
import { printable } from './output/output.js';
import { program } from './program.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const run = async (args: readonly string[]): Promise<void> => {
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
