import type { Deployment, Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import type { Output } from '../output/output.js';
import { localFiles } from '../source/local-files.js';
import { packed } from '../source/pack.js';
import { webServiceNamed } from '../web-services.js';
import { BuildLog } from './build-log.js';
import { integer } from './emails.js';

interface DeployOptions {
  readonly branch?: string;
  readonly local?: string | true;
  readonly wait: boolean;
  readonly timeout: number;
  readonly logs: boolean;
  readonly json?: boolean;
}

/** `postern deploy`: requests a deployment, prints its build, and follows it until it ends. */
export const deploy = (): Command =>
  command('deploy', 'Deploy a web service, and wait until it is live', [
    'postern deploy storefront',
    'postern deploy storefront --branch main --timeout 600',
    'postern deploy storefront --no-wait --json',
    'postern deploy storefront --local',
  ])
    .argument('[service]', 'id or name of the web service; POSTERN_WEB_SERVICE, or the only one, by default')
    .option('--branch <name>', 'branch to deploy; default: the configured branch')
    .option('--local [folder]', 'deploy the files of a folder, except those in .gitignore; default: this one')
    .option('--no-wait', 'return as soon as the deployment is queued')
    .option('--timeout <seconds>', 'how long to wait', integer(1, 86_400), 900)
    .option('--no-logs', 'do not print the log of the build and the release')
    .addHelpText(
      'after',
      '\nThe log goes to standard error.\nExit status: 0 live, 1 failed, 4 still in progress after the timeout.',
    )
    .action(async (service: string | undefined, options: DeployOptions) => run(invocation(options), service, options));

const run = async (
  { context, output }: Invocation,
  wanted: string | undefined,
  options: DeployOptions,
): Promise<void> => {
  const { branch, wait, timeout } = options;
  if (options.local !== undefined && branch !== undefined) throw new UsageError('Use --local or --branch, not both.');
  const platform = context.platform();
  const service = await webServiceNamed(platform, context, wanted);
  const requested = await (options.local === undefined
    ? platform.deployments.create(service.id, branch === undefined ? {} : { branch })
    : upload(platform, service.id, options.local === true ? '.' : options.local, output));
  if (!wait) {
    output.result(requested, `${requested.id}  ${requested.status}`);
    return;
  }
  output.note(`Deployment ${requested.id} of ${service.name}`);
  const log = options.logs ? new BuildLog(requested, line => output.note(line)) : undefined;
  const following = log?.follow(signal => platform.logs.follow(service.id, { tail: 100, signal }));
  try {
    const live = await platform.deployments.waitUntilLive(service.id, requested.id, {
      timeoutMs: timeout * 1_000,
      onChange: ({ status, commit }) => output.note(`${status}${commit ? `  ${commit.slice(0, 12)}` : ''}`),
    });
    await log?.rest();
    const { url } = await platform.webServices.get(service.id);
    output.result({ ...live, url }, `Live: ${url ?? service.name}`);
  } catch (error) {
    await log?.rest();
    throw error;
  } finally {
    log?.end();
    await following;
  }
};

/** Deploys the files of a folder. @throws UsageError if there are none, or too many. */
const upload = async (platform: Platform, id: string, folder: string, output: Output): Promise<Deployment> => {
  const { files, leftOut } = await localFiles(folder);
  for (const line of leftOut) output.note(line);
  const archive = await packed(folder, files);
  output.note(`Uploading ${files.length} files, ${Math.ceil(archive.length / 1_024)} KiB`);
  return platform.deployments.upload(id, archive);
};
