import { readFileSync } from 'node:fs';
import type { Email, EmailRecord, ScheduledEmail } from '@postern/sdk';
import type { Command } from 'commander';
import { command, type Invocation, invocation, repeated } from '../command-line.js';
import { EXIT, UsageError } from '../errors.js';

interface SendOptions {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly replyTo?: readonly string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly textFile?: string;
  readonly htmlFile?: string;
  readonly header?: readonly string[];
  readonly idempotencyKey?: string;
  readonly at?: string;
  readonly json?: boolean;
}

/** `postern send`: sends one message with the email key. */
export const send = (): Command =>
  command('send', 'Send an email', [
    'postern send --from orders@example.com --to delivered@simulator.test --subject Hello --text "It works."',
    'postern send --from orders@example.com --to ada@example.net --subject Report --html-file report.html',
    'postern send --from orders@example.com --to ada@example.net --subject Reminder --text Tomorrow! --at 2030-01-31T09:00:00Z',
    'date | postern send --from cron@example.com --to ops@example.com --subject "Nightly run" --text-file -',
  ])
    .requiredOption('--from <address>', 'sender, such as "Shop <orders@example.com>"')
    .requiredOption('--to <address>', 'recipient; repeat it for several', repeated)
    .option('--cc <address>', 'CC recipient; repeat it for several', repeated)
    .option('--bcc <address>', 'BCC recipient; repeat it for several', repeated)
    .option('--reply-to <address>', 'address for replies; repeat it for several', repeated)
    .requiredOption('--subject <text>', 'subject')
    .option('--text <text>', 'plain-text body')
    .option('--html <html>', 'HTML body')
    .option('--text-file <path>', 'file with the plain-text body; - is standard input')
    .option('--html-file <path>', 'file with the HTML body; - is standard input')
    .option('--header <header>', 'extra header, such as "X-Order-Id: 1234"; repeat it for several', repeated)
    .option('--idempotency-key <key>', 'send the message once, however often the command is repeated within 24 hours')
    .option('--at <time>', 'send it at this time, within 30 days, such as 2030-01-31T09:00:00Z')
    .action(async (options: SendOptions) => sendMessage(invocation(options), options));

const sendMessage = async ({ context, output }: Invocation, options: SendOptions): Promise<void> => {
  const { idempotencyKey, at } = options;
  const command = idempotencyKey === undefined ? {} : { idempotencyKey };
  const client = context.email();
  if (at !== undefined) {
    const scheduled = await client.scheduledEmails.create(at, messageOf(options), command);
    return output.result(scheduled, describeScheduled(scheduled));
  }
  const record = await client.emails.send(messageOf(options), command);
  output.result(record, describe(record));
  if (record.status === 'failed') process.exitCode = EXIT.failed;
};

const describeScheduled = ({ id, state, send_at }: ScheduledEmail): string => `${id}  ${state} for ${send_at}`;

const describe = ({ id, status, mode, from, message }: EmailRecord): string =>
  [`${id}  ${status}`, message, ...(mode === 'production' ? [] : [`Sent in ${mode} mode from ${from}.`])].join('\n');

const messageOf = ({ from, to, cc, bcc, replyTo, subject, header = [], ...body }: SendOptions): Email => {
  const text = body.text ?? contentsOf(body.textFile);
  const message = body.html ?? contentsOf(body.htmlFile);
  const headers = Object.fromEntries(header.map(headerFrom));
  const envelope = {
    from,
    to,
    subject,
    ...(cc ? { cc } : {}),
    ...(bcc ? { bcc } : {}),
    ...(replyTo ? { reply_to: replyTo } : {}),
    ...(header.length > 0 ? { headers } : {}),
  };
  if (message !== undefined) return { ...envelope, message, ...(text === undefined ? {} : { text }) };
  if (text !== undefined) return { ...envelope, text };
  throw new UsageError('The message has no body. Give --text, --html, --text-file or --html-file.');
};

const headerFrom = (header: string): readonly [string, string] => {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(header) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--header requires "Name: value", not ${JSON.stringify(header)}`);
  return [name, value];
};

const contentsOf = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
};
