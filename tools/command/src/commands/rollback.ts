import type { Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import { webServiceNamed } from '../web-services.js';
import { integer } from './emails.js';

interface Options {
  readonly json?: boolean;
}

/** `postern rollback`: releases an earlier deployment again. */
export const rollback = (): Command =>
  command('rollback', 'Release an earlier deployment again, with its configuration and without a build', [
    'postern rollback storefront',
    'postern rollback storefront 0198d3a9-7e02-7a90-b1f4-0c9d8e7f6a03',
  ])
    .argument('<service>', 'id or name of the web service')
    .argument('[deployment]', 'id of the deployment; default: the one that was live before')
    .option('--timeout <seconds>', 'how long to wait', integer(1, 86_400), 900)
    .action(async (wanted: string, deployment: string | undefined, options: Options & { readonly timeout: number }) => {
      const { context, output } = invocation(options);
      const platform = context.platform();
      const { id, name } = await webServiceNamed(platform, context, wanted);
      const target = deployment ?? (await previousOf(platform, id));
      const begun = await platform.deployments.rollBack(id, target);
      output.note(`Deployment ${begun.id} rolls ${name} back to ${target}`);
      const live = await platform.deployments.waitUntilLive(id, begun.id, { timeoutMs: options.timeout * 1_000 });
      output.result(live, `Live: ${live.commit?.slice(0, 12) ?? live.id}`);
    });

/** Superseded deployments that never were live have no time at which they began. */
const previousOf = async (platform: Platform, webServiceId: string): Promise<string> => {
  const { items } = await platform.deployments.list(webServiceId, { limit: 100 });
  const live = items.find(({ status }) => status === 'live');
  const serving = live?.rollback_of ?? live?.id;
  const earlier = items.find(
    ({ id, status, started_at, rollback_of }) =>
      (status === 'superseded' || status === 'rolled_back') && started_at !== null && (rollback_of ?? id) !== serving,
  );
  if (!earlier) throw new UsageError('No earlier deployment was live.');
  return earlier.rollback_of ?? earlier.id;
};
