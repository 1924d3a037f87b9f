import type { Command } from 'commander';
import { command, group } from '../command-line.js';
import { integer } from './emails.js';
import { onService, SERVICE, type ServiceOptions } from './on-service.js';

/** `postern deployments …`: the deployments of a web service and their logs. */
export const deployments = (): Command =>
  group('deployments', 'Deployments of a web service, and their logs', [list(), logs(), cancel()]);

const list = (): Command =>
  command('list', 'List the deployments, newest first', ['postern deployments list --service storefront'])
    .option(...SERVICE)
    .option('--limit <n>', 'at most this many, up to 100', integer(1, 100), 20)
    .action(async (options: ServiceOptions & { readonly limit: number }) => {
      const { output, platform, id } = await onService(options);
      const { items } = await platform.deployments.list(id, { limit: options.limit });
      output.rows(
        items,
        ['ID', 'STATUS', 'COMMIT', 'CREATED', 'ERROR'],
        items.map(each => [each.id, each.status, each.commit?.slice(0, 12) ?? '-', each.created_at, each.error ?? '-']),
        'No deployments.',
      );
    });

const logs = (): Command =>
  command('logs', 'Print the log of the build and the release of one deployment', [
    'postern deployments logs 0198d3a9-7e02-7a90-b1f4-0c9d8e7f6a03 --service storefront',
  ])
    .argument('<deployment>', 'id of the deployment')
    .option(...SERVICE)
    .action(async (deployment: string, options: ServiceOptions) => {
      const { output, platform, id } = await onService(options);
      const { lines } = await platform.deployments.logs(id, deployment);
      for (const line of lines) output.line(line, line.message);
    });

const cancel = (): Command =>
  command('cancel', 'Cancel a deployment that is not live yet', [
    'postern deployments cancel 0198d3a9-7e02-7a90-b1f4-0c9d8e7f6a03 --service storefront',
  ])
    .argument('<deployment>', 'id of the deployment')
    .option(...SERVICE)
    .action(async (deployment: string, options: ServiceOptions) => {
      const { output, platform, id } = await onService(options);
      const cancelled = await platform.deployments.cancel(id, deployment);
      output.result(cancelled, `${cancelled.id}  ${cancelled.status}`);
    });
