import { type Command, Option } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import type { LoggedRequest, Page } from '../dashboard-api.js';
import { emailServiceNamed } from '../email-services.js';
import { integer } from './emails.js';

interface RequestOptions {
  readonly service?: string;
  readonly platformKey?: string;
  readonly id?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `postern requests`: the requests that clients have sent with keys. */
export const requests = (): Command =>
  command('requests', 'List the requests of your programs, also those that were refused, newest first', [
    'postern requests --outcome refused',
    'postern requests --id 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
    'postern requests --platform-key 0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  ])
    .option('--service <id or name>', 'email service whose keys were used; required if there are several')
    .option('--platform-key <id>', 'requests of the platform API with this key instead')
    .option('--id <request id>', 'the X-Request-Id of a response')
    .addOption(new Option('--outcome <outcome>', 'how it ended').choices(['succeeded', 'refused', 'failed']))
    .option('--code <code>', 'the Error-Code of a response')
    .option('--limit <n>', 'number of requests, at most 100', integer(1, 100), 20)
    .action(async (options: RequestOptions) => list(invocation(options), options));

const list = async ({ context, output }: Invocation, options: RequestOptions): Promise<void> => {
  const { service, platformKey, id, outcome, code, limit } = options;
  const dashboard = context.dashboard();
  const log =
    platformKey === undefined
      ? `/email-services/${(await emailServiceNamed(dashboard, service)).id}/requests`
      : `/platform-keys/${encodeURIComponent(platformKey)}/requests`;
  const query = { request_id: id, outcome, code, limit };
  const found = await dashboard.get<Page<LoggedRequest>>(log, { query });
  output.rows(
    found,
    ['TIME', 'STATUS', 'CODE', 'REQUEST', 'KEY', 'REQUEST ID', 'MESSAGE'],
    found.items.map(request => [
      request.at,
      request.status,
      request.code ?? '',
      `${request.method} ${request.path}`,
      request.key.name,
      request.request_id,
      request.message ?? '',
    ]),
    'No requests.',
  );
};
