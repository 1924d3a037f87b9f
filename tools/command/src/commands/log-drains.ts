import type { LogDrain, Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group } from '../command-line.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';
import { onService, SERVICE, type ServiceOptions } from './on-service.js';

const KINDS: readonly string[] = ['syslog', 'https', 'otlp'] satisfies readonly LogDrain['kind'][];

interface AddOptions extends ServiceOptions {
  readonly header?: readonly string[];
}

/** `postern log-drains …`: where the log of a web service is sent. */
export const logDrains = (): Command =>
  group('log-drains', 'Send the log of a web service to another system', [
    command('list', 'List the log drains', ['postern log-drains list --service storefront'])
      .option(...SERVICE)
      .action(async (options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const all = await platform.logDrains.list(id);
        const rows = all.map(drain => [
          ...[drain.id, drain.kind, drain.url, drain.state],
          ...[drain.lines_waiting ?? '', drain.lines_lost, drain.last_error ?? ''],
        ]);
        output.rows(all, ['ID', 'KIND', 'URL', 'STATE', 'WAITING', 'LOST', 'LAST ERROR'], rows, 'No log drains.');
      }),
    command('add', 'Add a log drain; lines that are written from now on are sent', [
      'postern log-drains add syslog syslog+tls://logs.example.com:6514 --service storefront',
      'POSTERN_LOG_DRAIN_TOKEN=… postern log-drains add otlp https://otel.example.com/v1/logs',
    ])
      .argument('<kind>', KINDS.join(', '))
      .argument('<url>', 'https://…, or syslog+tls://host:port for syslog')
      .option('--header <name: value…>', 'header of each request')
      .option(...SERVICE)
      .addHelpText('after', '\nPOSTERN_LOG_DRAIN_TOKEN is sent as `Authorization: Bearer …`.')
      .action(async (kind: string, url: string, options: AddOptions) => {
        if (!isKind(kind)) throw new UsageError(`There is no kind ${kind}. The kinds are ${KINDS.join(', ')}.`);
        const headers = headersOf(options.header ?? []);
        const { output, platform, id, context } = await onService(options);
        const token = context.environment['POSTERN_LOG_DRAIN_TOKEN'];
        const drain = await platform.logDrains.create(id, {
          kind,
          url,
          ...(headers && { headers }),
          ...(token && { token }),
        });
        output.result(drain, `${drain.id}  ${drain.kind}  ${drain.url}\nTest it: postern log-drains test ${drain.id}`);
      }),
    command('test', 'Send a test line now', ['postern log-drains test 01977f4e --service storefront'])
      .argument('<drain>', 'id or URL of the log drain')
      .option(...SERVICE)
      .action(async (wanted: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const drain = await drainNamed(platform, id, wanted);
        const tested = await platform.logDrains.test(id, drain.id);
        if (!tested.accepted) throw new Error(`The receiver did not accept the line: ${tested.error}`);
        output.result(tested, `The receiver accepted the line after ${tested.duration_ms} ms.`);
      }),
    command('enable', 'Enable a log drain that was disabled', ['postern log-drains enable 01977f4e'])
      .argument('<drain>', 'id or URL of the log drain')
      .option(...SERVICE)
      .action(async (wanted: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const drain = await drainNamed(platform, id, wanted);
        output.result(await platform.logDrains.setEnabled(id, drain.id, true), `${drain.url} is enabled.`);
      }),
    command('remove', 'Delete a log drain', ['postern log-drains remove 01977f4e --service storefront'])
      .argument('<drain>', 'id or URL of the log drain')
      .option(...SERVICE)
      .action(async (wanted: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const drain = await drainNamed(platform, id, wanted);
        output.result(await platform.logDrains.delete(id, drain.id), `${drain.url} is deleted.`);
      }),
  ]);

const isKind = (text: string): text is LogDrain['kind'] => KINDS.includes(text);

const headersOf = (given: readonly string[]): Record<string, string> | undefined => {
  const pairs = given.map(text => {
    const at = text.indexOf(':');
    if (at < 1) throw new UsageError(`${JSON.stringify(text)} is not a header such as "X-Scope: shop".`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
};

const drainNamed = async (platform: Platform, webServiceId: string, wanted: string) => {
  const all = await platform.logDrains.list(webServiceId);
  return one(
    all.map(drain => ({ ...drain, name: drain.url })),
    wanted,
    'log drain',
    'by its id or URL',
  );
};
