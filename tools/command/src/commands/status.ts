import type { Command } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import type { WorkspaceStatus } from '../dashboard-api.js';
import { EXIT } from '../errors.js';

/** `postern status`: what needs somebody in the workspace. */
export const status = (): Command =>
  command('status', 'Show what needs somebody in the workspace, each with what to do', [
    'postern status',
    'postern status --json',
  ])
    .addHelpText('after', '\nExit status: 0 if nothing is wrong, 1 if something is, or could not be checked.')
    .action(async (options: { json?: boolean }) => show(invocation(options)));

const show = async ({ context, output }: Invocation): Promise<void> => {
  const found = await context.dashboard().get<WorkspaceStatus>('/status');
  output.result(found, [found.summary, ...found.problems.map(problem => textOf(problem, context.url))].join('\n'));
  if (!found.ok) process.exitCode = EXIT.failed;
};

const textOf = ({ severity, message, fix, page, since }: WorkspaceStatus['problems'][number], url: string): string =>
  ['', `${severity}: ${message}${since === null ? '' : ` (${since})`}`, `  ${fix}`, `  ${url}/dashboard${page}`].join(
    '\n',
  );
