import type { Command } from 'commander';
import { command, group, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import { webServiceNamed } from '../web-services.js';

interface Options {
  readonly json?: boolean;
}

const SERVICE = ['<service>', 'id or name of the web service with the disk'] as const;

/** `postern disks …`: the backups of the disks of web services. */
export const disks = (): Command =>
  group('disks', 'Back up and restore the disks of web services', [
    command('backup', 'Back up the disk of a web service', ['postern disks backup storefront'])
      .argument(...SERVICE)
      .action(async (wanted: string, options: Options) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id } = await webServiceNamed(platform, context, wanted);
        const backup = await platform.webServices.backUpDisk(id);
        output.result(backup, `${backup.id}  ${backup.status}`);
      }),
    command('backups', 'List the backups of a disk, newest first', ['postern disks backups storefront'])
      .argument(...SERVICE)
      .action(async (wanted: string, options: Options) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id } = await webServiceNamed(platform, context, wanted);
        const list = await platform.webServices.diskBackups(id);
        const rows = list.map(each => [
          each.id,
          each.created_at,
          each.status,
          each.last_restore?.status ?? '',
          each.error ?? each.last_restore?.error ?? '',
        ]);
        output.rows(list, ['ID', 'TIME', 'STATUS', 'RESTORE', 'ERROR'], rows, 'No backups yet.');
      }),
    command('restore', 'Replace all files of a disk by those of a backup', [
      'postern disks restore storefront 0198d3d1-5e6f-7a7b-8c8d-9e0f1a2b3c0b --yes',
    ])
      .argument(...SERVICE)
      .argument('<backup>', 'id of the backup')
      .option('--yes', 'confirm that the files written since the backup are lost')
      .action(async (wanted: string, backup: string, options: Options & { readonly yes?: boolean }) => {
        if (!options.yes)
          throw new UsageError('The files written since the backup are lost. Repeat the command with --yes.');
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id, name } = await webServiceNamed(platform, context, wanted);
        const restore = await platform.webServices.restoreDisk(id, backup);
        output.result(restore, `The disk of ${name} is being restored. See postern disks backups ${id}`);
      }),
  ]);
