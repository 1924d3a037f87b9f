import { NotFoundError } from '@postern/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { command, group, type Invocation, invocation } from '../command-line.js';
import type { Message, MessageWithTimeline, Page } from '../dashboard-api.js';
import { emailServiceNamed, emailServices } from '../email-services.js';
import { NotSignedInError } from '../errors.js';
import { printable } from '../output/output.js';

interface ListOptions {
  readonly service?: string;
  readonly search?: string;
  readonly state?: string;
  readonly limit: number;
  readonly after?: string;
  readonly page: number;
  readonly json?: boolean;
}

/** `postern emails …`: the status of messages. */
export const emails = (): Command => group('emails', 'View message status', [list(), show(), scheduled(), cancel()]);

const list = (): Command =>
  command('list', 'List messages with the state of their recipients, newest first', [
    'postern emails list',
    'postern emails list --service Shop --state bounced',
    'postern emails list --search ada@example.net --json',
  ])
    .option('--service <id or name>', 'email service; required if there are several')
    .option('--search <text>', 'search in recipients and subject')
    .option('--state <state>', 'messages with a recipient in this state, such as delivered or bounced')
    .option('--limit <n>', 'messages per page, at most 100', integer(1, 100), 20)
    .option('--page <n>', 'page, starting at 1', integer(1, 1_000_000), 1)
    .option('--after <id>', 'messages after this one, the last of a page; for pages far back')
    .action(async (options: ListOptions) => listMessages(invocation(options), options));

const listMessages = async ({ context, output }: Invocation, options: ListOptions): Promise<void> => {
  const { service, search, state, limit, page, after } = options;
  const dashboard = context.dashboard();
  const { id } = await emailServiceNamed(dashboard, service);
  const query = { search, state, limit, ...(after === undefined ? { offset: (page - 1) * limit } : { after }) };
  const found = await dashboard.get<Page<Message>>(`/email-services/${id}/emails`, { query });
  output.rows(
    found,
    ['ID', 'TIME', 'STATUS', 'RECIPIENTS', 'SUBJECT'],
    found.items.map(({ id, accepted_at, status, recipients, subject }) => [
      id,
      accepted_at,
      status,
      recipients.map(({ address, state }) => `${address} ${state}`).join(', '),
      subject,
    ]),
    'No messages.',
  );
  if (output.json) return;
  const rest = found.total - found.offset - found.items.length;
  const last = found.items.at(-1);
  if (after !== undefined || found.total_capped) {
    if (last && found.items.length === limit) output.note(`for the next page: --after ${last.id}`);
  } else if (rest > 0) output.note(`${rest} more: add --page ${page + 1}`);
};

const show = (): Command =>
  command('show', 'Show a message, with its timeline if you are signed in to the dashboard', [
    'postern emails show 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  ])
    .argument('<id>', 'id of the message')
    .action(async (id: string, options: { json?: boolean }) => showMessage(invocation(options), id));

const showMessage = async ({ context, output }: Invocation, id: string): Promise<void> => {
  if (context.sessionToken === undefined) {
    if (context.emailKey === undefined)
      throw new NotSignedInError('Run `postern login` with an email key, or with --email for the timeline.');
    const record = await context.email().emails.get(id);
    output.result(
      record,
      Object.entries(record)
        .map(([name, value]) => `${name.padEnd(8)} ${printable(String(value))}`)
        .join('\n'),
    );
    return;
  }
  const message = await findMessage(context.dashboard(), id);
  const { subject, from, status, recipients, timeline } = message;
  const lines = [
    `${id}  ${status}`,
    `from     ${from}`,
    `subject  ${subject}`,
    ...recipients.map(
      ({ address, role, state, reason }) => `${role.padEnd(8)} ${address}  ${state}${reason ? `: ${reason}` : ''}`,
    ),
    '',
    ...timeline.map(({ at, kind, recipient, detail }) =>
      `${at}  ${kind.padEnd(12)} ${recipient ?? ''}  ${detail}`.trimEnd(),
    ),
  ];
  output.result(message, lines.map(line => printable(line)).join('\n'));
};

const scheduled = (): Command =>
  command('scheduled', 'List scheduled messages, the latest times first', ['postern emails scheduled'])
    .option('--limit <n>', 'messages per page, at most 100', integer(1, 100), 20)
    .option('--page <n>', 'page, starting at 1', integer(1, 1_000_000), 1)
    .action(async (options: { limit: number; page: number; json?: boolean }) => {
      const { context, output } = invocation(options);
      const { limit, page } = options;
      const found = await context.email().scheduledEmails.list({ limit, offset: (page - 1) * limit });
      output.rows(
        found,
        ['ID', 'TIME', 'STATUS', 'ERROR'],
        found.items.map(({ id, send_at, state, error = '' }) => [id, send_at, state, error]),
        'No scheduled messages.',
      );
    });

const cancel = (): Command =>
  command('cancel', 'Cancel a scheduled message', ['postern emails cancel 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e01'])
    .argument('<id>', 'id of the scheduled message')
    .action(async (id: string, options: { json?: boolean }) => {
      const { context, output } = invocation(options);
      const cancelled = await context.email().scheduledEmails.cancel(id);
      output.result(cancelled, `${id}  ${cancelled.state}`);
    });

/** Finds the message in all email services of the workspace. */
export const findMessage = async (
  dashboard: ReturnType<Invocation['context']['dashboard']>,
  id: string,
): Promise<MessageWithTimeline> => {
  let notFound: unknown;
  for (const service of await emailServices(dashboard)) {
    try {
      return await dashboard.get<MessageWithTimeline>(`/email-services/${service.id}/emails/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      notFound = error;
    }
  }
  throw notFound ?? new NotSignedInError('The workspace has no email service.');
};

/** Reads an integer option. */
export const integer =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };
