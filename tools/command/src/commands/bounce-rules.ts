import type { Command } from 'commander';
import { command, group, type Invocation, invocation } from '../command-line.js';
import { emailServiceNamed } from '../email-services.js';
import { printable } from '../output/output.js';

interface BounceRule {
  readonly id: string;
  readonly phrase: string;
  readonly domain: string | null;
  readonly status_code: string | null;
  readonly cause: string;
  readonly bounce_type: string;
}

interface ServiceOption {
  readonly service?: string;
  readonly json?: boolean;
}

interface RuleOptions extends ServiceOption {
  readonly cause: string;
  readonly domain?: string;
  readonly statusCode?: string;
  readonly message?: string;
}

const SERVICE = ['--service <id or name>', 'email service; required if there are several'] as const;

/** `postern bounce-rules …`: an owner's rules for the classification of bounces, with the session of the dashboard. */
export const bounceRules = (): Command =>
  group('bounce-rules', 'Manage your rules for the classification of bounces', [list(), add(), remove()]);

const list = (): Command =>
  command('list', 'List bounce rules, newest first', ['postern bounce-rules list'])
    .option(...SERVICE)
    .action(async (options: ServiceOption) => {
      const { dashboard, output, path } = await opened(options);
      const all = await dashboard.get<BounceRule[]>(path);
      output.rows(
        all,
        ['ID', 'CAUSE', 'TYPE', 'CODE', 'DOMAIN', 'PHRASE'],
        all.map(({ id, cause, bounce_type, status_code, domain, phrase }) => [
          id,
          cause,
          bounce_type,
          status_code ?? '',
          domain ?? '',
          phrase,
        ]),
        'No bounce rules.',
      );
    });

const add = (): Command =>
  command('add', 'Classify bounces whose reply contains a phrase', [
    'postern bounce-rules add "recipient rejected by local policy" --cause policy',
    'postern bounce-rules add "mailbox closed" --cause mailbox_disabled --message 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  ])
    .argument('<phrase>', 'words of the reply of the receiving server')
    .option(...SERVICE)
    .requiredOption('--cause <cause>', 'what such a bounce means, such as policy or unknown_user')
    .option('--domain <domain>', 'only recipients at this domain')
    .option('--status-code <code>', 'only replies with this code, such as 550 or 5.7.1')
    .option('--message <id>', 'also classify the bounces of this message again')
    .action(async (phrase: string, options: RuleOptions) => {
      const { dashboard, output, path } = await opened(options);
      const { cause, domain, statusCode, message } = options;
      const created = await dashboard.post<BounceRule>(path, {
        phrase,
        cause,
        ...(domain === undefined ? {} : { domain }),
        ...(statusCode === undefined ? {} : { status_code: statusCode }),
        ...(message === undefined ? {} : { email_id: message }),
      });
      output.result(created, `${created.id}  ${created.cause} (${created.bounce_type})  ${printable(created.phrase)}`);
    });

const remove = (): Command =>
  command('delete', 'Delete a bounce rule', ['postern bounce-rules delete 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e0f'])
    .argument('<id>', 'id of the rule')
    .option(...SERVICE)
    .action(async (id: string, options: ServiceOption) => {
      const { dashboard, output, path } = await opened(options);
      output.result(await dashboard.delete(`${path}/${encodeURIComponent(id)}`), `Deleted ${printable(id)}`);
    });

const opened = async (options: ServiceOption) => {
  const { context, output }: Invocation = invocation(options);
  const dashboard = context.dashboard();
  const { id } = await emailServiceNamed(dashboard, options.service);
  return { dashboard, output, path: `/email-services/${id}/bounce-rules` };
};
