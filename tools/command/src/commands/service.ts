import type { ChangeWebServiceBody, CreateWebServiceBody, WebService } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group, type Invocation, invocation } from '../command-line.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';
import { webServiceNamed } from '../web-services.js';
import { countsOf, settingsOf } from './settings.js';

interface Options {
  readonly json?: boolean;
}

interface CreateOptions extends Options {
  readonly repository?: string;
  readonly image?: string;
  readonly project?: string;
  readonly port?: string;
}

const SERVICE = [
  '[service]',
  'id or name of the web service; POSTERN_WEB_SERVICE, or the only one, by default',
] as const;
const SETTINGS = 'settings such as branch=main, root_directory=apps/web or disk.size_mib=1024';

/** `postern service …`: creates web services and changes their settings. */
export const service = (): Command =>
  group('service', 'Create web services, and change their settings', [create(), show(), edit(), remove()]);

const create = (): Command =>
  command('create', 'Create a web service; its first deployment starts it', [
    'postern service create storefront --repository https://git.example.com/shop.git',
    'postern service create shop --image ghcr.io/ada/shop:1.4',
    'postern service create web --project Shop --repository https://git.example.com/shop.git root_directory=apps/web',
  ])
    .argument('<name>', 'name of the web service')
    .argument('[settings...]', SETTINGS)
    .option('--repository <url>', 'the Git repository that is built')
    .option('--image <reference>', 'the image of a container registry, instead of a repository')
    .option('--project <id or name>', 'the project; the only one by default')
    .option('--port <number>', 'the port of the web service; 3000 by default, or the port that the image exposes')
    .action(async (name: string, settings: readonly string[], options: CreateOptions) => {
      const { repository, image, port = image === undefined ? '3000' : undefined } = options;
      if ((repository === undefined) === (image === undefined))
        throw new UsageError('Give either --repository or --image.');
      const { context, output } = invocation(options);
      const platform = context.platform();
      const project = one(await platform.projects.list(), options.project, 'project', 'with --project (id or name)');
      const body = {
        name,
        project_id: project.id,
        ...(repository !== undefined && { git_repository_url: repository }),
        ...(image !== undefined && { image }),
        ...(port !== undefined && { port: Number(port) }),
        ...settingsOf(settings),
      } as CreateWebServiceBody;
      const created = await platform.webServices.create(body);
      output.result(created, `${created.id}  ${created.name}\nDeploy it: postern deploy ${created.id}`);
    });

const show = (): Command =>
  command('show', 'Show a web service with its settings', ['postern service show storefront'])
    .argument(...SERVICE)
    .action(async (wanted: string | undefined, options: Options) => {
      const { context, output } = invocation(options);
      const found = await webServiceNamed(context.platform(), context, wanted);
      output.result(found, JSON.stringify(found, null, 2));
    });

const edit = (): Command =>
  command('edit', 'Change settings; a setting without a value is reset', [
    'postern service edit storefront health_check_path=/healthz drain_seconds=60',
    'postern service edit storefront disk.size_mib=1024 max_instances=1',
    'postern service edit storefront start_command=',
  ])
    .argument('<service>', 'id or name of the web service')
    .argument('<settings...>', SETTINGS)
    .addHelpText('after', '\nNumbers of instances apply at once, other settings at the next start or deployment.')
    .action(async (wanted: string, settings: readonly string[], options: Options) =>
      change(invocation(options), wanted, () => settingsOf(settings)),
    );

/** `postern scale`: changes the numbers of instances and processes. */
export const scale = (): Command =>
  command('scale', 'Change the numbers of instances and of processes of the Procfile', [
    'postern scale storefront 2',
    'postern scale storefront 1-4 worker=2',
  ])
    .argument('<service>', 'id or name of the web service')
    .argument('<counts...>', 'a number of instances, a range, or processes such as worker=2')
    .action(async (wanted: string, counts: readonly string[], options: Options) =>
      change(invocation(options), wanted, ({ processes }) => {
        const wantedCounts = countsOf(counts);
        // The numbers of all process types are one setting.
        return 'processes' in wantedCounts
          ? { ...wantedCounts, processes: { ...processes, ...(wantedCounts['processes'] as object) } }
          : wantedCounts;
      }),
    );

const change = async (
  { context, output }: Invocation,
  wanted: string,
  changesFor: (service: WebService) => Record<string, unknown>,
): Promise<void> => {
  const platform = context.platform();
  const found = await webServiceNamed(platform, context, wanted);
  const changed = await platform.webServices.change(found.id, changesFor(found) as ChangeWebServiceBody);
  output.result(changed, `${changed.name} is changed.`);
};

const remove = (): Command =>
  command('delete', 'Delete a web service with its deployments, variables, logs and disk', [
    'postern service delete storefront --yes',
  ])
    .argument('<service>', 'id or name of the web service')
    .option('--yes', 'confirm the deletion, which cannot be undone')
    .action(async (wanted: string, options: Options & { readonly yes?: boolean }) => {
      if (!options.yes) throw new UsageError('This cannot be undone. Repeat the command with --yes.');
      const { context, output } = invocation(options);
      const platform = context.platform();
      const { id, name } = await webServiceNamed(platform, context, wanted);
      output.result(await platform.webServices.delete(id), `${name} is deleted.`);
    });

const lifecycle = (action: 'start' | 'restart' | 'stop', summary: string): Command =>
  command(action, summary, [`postern ${action} storefront`])
    .argument(...SERVICE)
    .action(async (wanted: string | undefined, options: Options) => {
      const { context, output } = invocation(options);
      const platform = context.platform();
      const { id, name } = await webServiceNamed(platform, context, wanted);
      const reply = await platform.webServices[action](id);
      output.result(reply, `${name}: ${reply.status}`);
    });

/** `postern start`, `postern restart` and `postern stop`. */
export const lifecycleCommands = (): readonly Command[] => [
  lifecycle('start', 'Start the last successful deployment with the current environment'),
  lifecycle('restart', 'Replace the running instances one by one, with the current environment'),
  lifecycle('stop', 'Stop all instances; environment and disk are kept'),
];
