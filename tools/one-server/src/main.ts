import { CommanderError } from 'commander';
import { administer } from './commands/administration.js';
import { ConfigurationError } from './configuration/read-configuration.js';
import { ADMINISTRATION, program } from './program.js';
import { UsageError } from './usage-error.js';

const args = process.argv.slice(2);

const demandRoot = (): void => {
  if (process.getuid?.() !== 0)
    throw new UsageError('postern administers this server: run it as root, for example with sudo');
};

const run = async (): Promise<void> => {
  if (args[0] !== undefined && ADMINISTRATION.includes(args[0])) {
    demandRoot();
    process.exitCode = (await administer(args)) ? 0 : 1;
    return;
  }
  const isHelp = args.length === 0 || args.some(arg => ['--help', '-h', '--version', 'help'].includes(arg));
  if (!isHelp) demandRoot();
  const command = program();
  for (const each of [command, ...command.commands, ...command.commands.flatMap(({ commands }) => commands)])
    each.exitOverride();
  await command.parseAsync(args, { from: 'user' });
};

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await run();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof ConfigurationError) {
    process.stderr.write(
      `/etc/postern/config.yaml is not usable, and nothing was changed:\n${error.problems.map(each => `  ${each}`).join('\n')}\n`,
    );
    process.exitCode = 1;
  } else {
    process.stderr.write(`Error: ${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
