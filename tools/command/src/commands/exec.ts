import { ApiError, type LogLine, type Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, invocation } from '../command-line.js';
import { EXIT, UsageError } from '../errors.js';
import { interrupted } from '../interruption.js';
import type { Output } from '../output/output.js';
import { webServiceNamed } from '../web-services.js';

/** What a shell reports for a program that SIGINT has ended. */
const INTERRUPTED = 130;

/** `postern exec`: runs a command once with the live release, shows its output, and ends with its exit status. */
export const exec = (): Command =>
  command('exec', 'Run a command once with the live release and its environment', [
    'postern exec storefront -- node migrate.js',
    "postern exec storefront 'npm run seed && npm run index'",
  ])
    .alias('run')
    .argument('<service>', 'id or name of the web service')
    .argument('<command...>', 'a program with its arguments, or one argument for a shell')
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nShows the output as it is written, and ends with the exit status of the command. Ctrl-C ends the command.',
    )
    .action(async (wanted: string, words: readonly string[], options: { readonly json?: boolean }) => {
      const { context, output } = invocation(options);
      const platform = context.platform();
      const text = commandLine(words);
      const { id } = await webServiceNamed(platform, context, wanted);
      const { id: runId } = await platform.runs.create(id, text);
      output.note(`Run ${runId}`);
      const signal = interrupted();
      signal.addEventListener('abort', () => void cancel(platform, id, runId, output), { once: true });
      if (!output.json) for await (const line of platform.runs.follow(id, runId)) show(line, output);
      const ended = await platform.runs.waitUntilEnded(id, runId);
      if (output.json) output.result(ended, '');
      if (ended.status === 'succeeded') return;
      output.note(`${ended.status}: ${ended.reason ?? 'no reason'}`);
      process.exitCode = ended.exit_code || (signal.aborted ? INTERRUPTED : EXIT.failed);
    });

/** The text for the shell that runs the command: the program gets several words unchanged, as its arguments. */
export const commandLine = (given: readonly string[]): string => {
  // `--` may separate the command from the options of `postern exec`.
  const words = given[0] === '--' ? given.slice(1) : given;
  if (words.length === 0) throw new UsageError('Name the command, such as: postern exec storefront -- npm run seed');
  if (words.length === 1) return words[0]!;
  return words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
};

const show = (line: LogLine, output: Output): void => {
  if (line.stream === 'stdout') output.line(line, line.message);
  else output.note(line.message);
};

const cancel = async (platform: Platform, webServiceId: string, runId: string, output: Output): Promise<void> => {
  output.note('Ending the command; press Ctrl-C again to leave without waiting for its end');
  try {
    await platform.runs.cancel(webServiceId, runId);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'run_over') return;
    output.note(`The command may still run: ${(error as Error).message}`);
  }
};
