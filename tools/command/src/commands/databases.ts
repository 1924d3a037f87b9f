import type { ExternalAccess, Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group, invocation } from '../command-line.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';
import { EFFECT, onService, SERVICE, type ServiceOptions } from './on-service.js';

interface Opening extends ServiceOptions {
  readonly allow?: readonly string[];
  readonly close?: boolean;
}

interface Creation extends ServiceOptions {
  readonly kind?: string;
  readonly plan?: string;
  readonly serverVersion?: string;
  readonly from?: string;
  readonly backup?: string;
  readonly targetTime?: string;
}

/** `postern databases …`: databases, and the web services that use them. */
export const databases = (): Command =>
  group('databases', 'Relational databases and key-value stores', [
    command('list', 'List the databases', ['postern databases list']).action(async (options: ServiceOptions) => {
      const { context, output } = invocation(options);
      const { items } = await context.platform().databases.list({ limit: 100 });
      const rows = items.map(({ id, name, kind, status, plan }) => [id, name, kind, status, plan]);
      output.rows(items, ['ID', 'NAME', 'KIND', 'STATUS', 'PLAN'], rows, 'No databases.');
    }),
    command('show', 'Show a database, how to connect to it, and its usage', ['postern databases show orders'])
      .argument('<database>', 'id or name of the database')
      .action(async (wanted: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const found = await platform.databases.get((await databaseNamed(platform, wanted)).id);
        output.result(found, JSON.stringify(found, null, 2));
      }),
    command('certificate', 'Print the certificate with which clients verify a relational database', [
      'postern databases certificate orders > database-ca.crt',
    ])
      .argument('<database>', 'id or name of the database')
      .action(async (wanted: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { kind, connection } = await platform.databases.get((await databaseNamed(platform, wanted)).id);
        if (kind === 'key_value') throw new UsageError('A key-value store has no TLS, and so no certificate.');
        const certificate = connection?.ca_certificate;
        if (!certificate) throw new UsageError('The database is not running. Repeat the command when it is.');
        output.result({ ca_certificate: certificate }, certificate.trim());
      }),
    command('external-access', 'Open a relational database to networks outside of the platform, or close it', [
      'postern databases external-access orders --allow 203.0.113.0/24 198.51.100.7',
      'postern databases external-access orders --close',
    ])
      .argument('<database>', 'id or name of the database')
      .option('--allow <network...>', 'the IPv4 networks or addresses that may connect, and no others')
      .option('--close', 'let nobody outside connect')
      .action(async (wanted: string, { allow, close, ...options }: Opening) => {
        if ((allow === undefined) !== (close === true)) throw new UsageError('Give either --allow or --close.');
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id } = await databaseNamed(platform, wanted);
        const changes = allow ? { enabled: true, allowed_cidrs: [...allow] } : { enabled: false };
        const { external_access: access } = await platform.databases.update(id, { external_access: changes });
        output.result(access, externalAccessText(access));
      }),
    command('create', 'Create a database, which web services use by attachments', [
      'postern databases create orders',
      'postern databases create cache --kind key_value',
      'postern databases create orders --server-version 17',
      'postern databases create orders-before --from orders --target-time 2026-05-08T09:30:00Z',
    ])
      .argument('<name>', 'name of the database')
      .option('--kind <kind>', 'relational, the default, or key_value')
      .option('--plan <name>', 'name of the plan; starter by default')
      .option('--server-version <major>', 'major version of PostgreSQL, such as 17')
      .option('--from <database>', 'id or name of a database, whose data, kind and plan the new one gets')
      .option('--backup <id>', 'with --from: the data of this backup')
      .option('--target-time <time>', 'with --from: the data of this time, such as 2026-05-08T09:30:00Z')
      .action(async (name: string, { serverVersion: version, ...options }: Creation) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const source = await restoreSource(platform, options);
        const { kind = source?.kind ?? 'relational', plan = source?.plan ?? 'starter' } = options;
        if (kind !== 'relational' && kind !== 'key_value') throw new UsageError('--kind is relational or key_value.');
        const created = await platform.databases.create({
          ...{ name, kind, plan },
          ...(version && { version }),
          ...(source && { restore_from: source.restore_from }),
        });
        output.result(
          created,
          `${created.id}  ${created.name}\nAttach it: postern databases attach ${created.id} --service …`,
        );
      }),
    command('attach', 'Give a web service the connection URL in a variable', [
      'postern databases attach orders --service storefront',
    ])
      .argument('<database>', 'id or name of the database')
      .option(...SERVICE)
      .option('--variable <name>', 'DATABASE_URL or REDIS_URL by default')
      .addHelpText('after', `\n${EFFECT}`)
      .action(async (wanted: string, options: ServiceOptions & { readonly variable?: string }) => {
        const { output, platform, id } = await onService(options);
        const database = await databaseNamed(platform, wanted);
        const { variable } = options;
        const attached = await platform.databases.attach(database.id, {
          web_service_id: id,
          ...(variable === undefined ? {} : { variable }),
        });
        output.result(attached, `${attached.variable} is set. ${EFFECT}`);
      }),
    command('detach', 'Take the connection URL from a web service, which can no longer connect', [
      'postern databases detach orders --service storefront',
    ])
      .argument('<database>', 'id or name of the database')
      .option(...SERVICE)
      .action(async (wanted: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const database = await databaseNamed(platform, wanted);
        const attachments = await platform.databases.attachments(database.id);
        const attachment = attachments.find(({ web_service_id }) => web_service_id === id);
        if (!attachment) throw new UsageError(`${database.name} is not attached to this web service.`);
        const detached = await platform.databases.detach(database.id, attachment.id);
        output.result(detached, `${database.name} is detached. ${attachment.variable} is gone at the next start.`);
      }),
    command('extensions', 'List the extensions that a relational database has or can enable', [
      'postern databases extensions orders',
    ])
      .argument('<database>', 'id or name of the database')
      .action(async (wanted: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const list = await platform.databases.extensions((await databaseNamed(platform, wanted)).id);
        const rows = list.map(({ name, version, installed_version }) => [
          name,
          installed_version ?? version,
          installed_version === null ? 'no' : 'yes',
        ]);
        output.rows(list, ['NAME', 'VERSION', 'ENABLED'], rows, 'No extensions.');
      }),
    command('enable-extension', 'Enable an extension in a relational database', [
      'postern databases enable-extension orders vector',
    ])
      .argument('<database>', 'id or name of the database')
      .argument('<extension>', 'name of the extension, as in CREATE EXTENSION')
      .action(async (wanted: string, extension: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id } = await databaseNamed(platform, wanted);
        const enabled = await platform.databases.enableExtension(id, { name: extension });
        output.result(enabled, `${enabled.name} ${enabled.installed_version} is enabled.`);
      }),
    command('backup', 'Back up a database', ['postern databases backup orders'])
      .argument('<database>', 'id or name of the database')
      .action(async (wanted: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const backup = await platform.databases.backUp((await databaseNamed(platform, wanted)).id);
        output.result(backup, `${backup.id}  ${backup.status}`);
      }),
    command('backups', 'List the backups of a database, newest first', ['postern databases backups orders'])
      .argument('<database>', 'id or name of the database')
      .action(async (wanted: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const platform = context.platform();
        const list = await platform.databases.backups((await databaseNamed(platform, wanted)).id);
        const rows = list.map(each => [each.id, each.created_at, each.status, each.error ?? '']);
        output.rows(list, ['ID', 'TIME', 'STATUS', 'ERROR'], rows, 'No backups yet.');
      }),
    command('restore', 'Replace all data of a database with those of a backup; all or nothing', [
      'postern databases restore orders 0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f --yes',
    ])
      .argument('<database>', 'id or name of the database')
      .argument('<backup>', 'id of the backup, as in postern databases backups')
      .option('--yes', 'confirm that data which are newer than the backup are lost')
      .action(async (wanted: string, backup: string, options: ServiceOptions & { readonly yes?: boolean }) => {
        if (!options.yes)
          throw new UsageError(
            'Data that are newer than the backup are lost. Repeat the command with --yes, or create another database from the backup: postern databases create … --from … --backup …',
          );
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id } = await databaseNamed(platform, wanted);
        const restore = await platform.databases.restore(id, backup);
        output.result(restore, `${restore.status}. Follow it with: postern databases backups ${wanted} --json`);
      }),
    command('delete', 'Delete a database with its data, backups and attachments', [
      'postern databases delete orders --yes',
    ])
      .argument('<database>', 'id or name of the database')
      .option('--yes', 'confirm the deletion, which cannot be undone')
      .action(async (wanted: string, options: ServiceOptions & { readonly yes?: boolean }) => {
        if (!options.yes) throw new UsageError('This cannot be undone. Repeat the command with --yes.');
        const { context, output } = invocation(options);
        const platform = context.platform();
        const { id, name } = await databaseNamed(platform, wanted);
        output.result(await platform.databases.delete(id), `${name} is deleted.`);
      }),
  ]);

const externalAccessText = ({ enabled, host, port, allowed_cidrs, open_to_everyone }: ExternalAccess): string => {
  if (!enabled) return 'Nobody outside of the platform can connect.';
  const who = open_to_everyone
    ? 'Everyone on the internet can try to connect'
    : `${allowed_cidrs.join(', ')} can connect`;
  return `${who}, to ${host}:${port} with TLS and the user of the owner.`;
};

/** What the new database gets from another one; undefined without `--from`. */
const restoreSource = async (platform: Platform, { from, backup, targetTime }: Creation) => {
  if ((backup === undefined) === (targetTime === undefined)) {
    if (from === undefined && backup === undefined) return undefined;
    throw new UsageError('--from needs either --backup or --target-time.');
  }
  if (from === undefined) throw new UsageError('--backup and --target-time need --from, the database with the data.');
  const { id, kind, plan } = await databaseNamed(platform, from);
  const data = { ...(backup && { backup_id: backup }), ...(targetTime && { target_time: targetTime }) };
  return { kind, plan, restore_from: { database_id: id, ...data } };
};

const databaseNamed = async (platform: Platform, wanted: string) =>
  one((await platform.databases.list({ limit: 100 })).items, wanted, 'database', 'by its id or name');
