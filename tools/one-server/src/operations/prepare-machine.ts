import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCertificates } from '@postern/messaging/certificates';
import { RELEASE } from '../applying/plan.js';
import { walFolderOf } from '../backups/wal-archive.js';
import { run, systemctl } from '../machine/run.js';
import { type Model, unitOf, WITH_DATABASE } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';

const folder = async (path: string, owner: string, mode: number): Promise<void> => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  await run('chown', [owner, path]);
};

/** Creates the folders of the state, with their owners. Web services run as other users, which must enter the platform's. */
export const prepareFolders = async ({ configuration }: Model): Promise<void> => {
  await folder(PLACES.state, 'root:root', 0o755);
  if (configuration.apps !== undefined) {
    await folder(PLACES.platform, 'root:root', 0o711);
    await folder(PLACES.balancer, 'postern-load-balancer:postern-load-balancer', 0o700);
  }
  await folder(PLACES.nats, 'postern-nats:postern-nats', 0o700);
  await folder(PLACES.caddy, 'caddy:caddy', 0o700);
  // A command such as `caddy validate` by root may have left files there.
  await run('chown', ['-R', 'caddy:caddy', PLACES.caddy]);
  await folder(PLACES.natsTls, 'root:root', 0o755);
  await folder(PLACES.submissionTls, 'root:postern-api-gateway', 0o750);
  // PostgreSQL writes to the archive in it, and cannot list the backups.
  await folder(configuration.backup.to, 'root:root', 0o711);
  await folder(walFolderOf(configuration.backup.to), 'postgres:postgres', 0o700);
  if (configuration.mail.send !== 'direct') return;
  await folder(PLACES.postfixQueue, 'root:root', 0o755);
  await folder(PLACES.postfixData, 'postfix:postfix', 0o700);
};

/** Certificates of NATS, and one of SMTP submission until Caddy has the public one. */
export const prepareCertificates = async ({ configuration: { host } }: Model): Promise<void> => {
  const nats = await ensureCertificates(PLACES.natsTls, ['127.0.0.1', 'localhost']);
  await run('chgrp', ['postern-nats', nats.key]);
  chmodSync(nats.key, 0o640);
  chmodSync(nats.ca, 0o644);
  chmodSync(nats.cert, 0o644);
  if (existsSync(join(PLACES.submissionTls, 'server.key'))) return;
  const submission = await ensureCertificates(PLACES.submissionTls, [host]);
  await run('chgrp', ['postern-api-gateway', submission.key, submission.cert]);
  for (const file of [submission.key, submission.cert]) chmodSync(file, 0o640);
};

/** Creates the cluster of Postern. A kill leaves an incomplete folder with another name. */
export const prepareCluster = async ({ machine }: Model): Promise<void> => {
  if (existsSync(join(PLACES.postgres, 'PG_VERSION'))) return;
  const incomplete = `${PLACES.postgres}.new`;
  rmSync(incomplete, { recursive: true, force: true });
  await folder(incomplete, 'postgres:postgres', 0o700);
  const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=peer', '--data-checksums', '--username=postgres'];
  await asPostgres([`${machine.postgresBin}/initdb`, ...options, `--pgdata=${incomplete}`]);
  renameSync(incomplete, PLACES.postgres);
};

/** Runs a program as the user of PostgreSQL, whom the kernel identifies as the superuser of the cluster. */
export const asPostgres = (command: readonly string[], input?: string): Promise<string> =>
  run('runuser', ['-u', 'postgres', '--', ...command], { cwd: '/', ...(input === undefined ? {} : { input }) });

/** Creates the databases, and a role for each service that owns its database only. */
export const prepareDatabases = async (): Promise<void> => {
  await systemctl('start', unitOf('postgresql'));
  // The roles connect over the socket and need no password; this one is not stored anywhere.
  const passwords = WITH_DATABASE.map(service => [
    `POSTERN_DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`,
    randomBytes(24).toString('hex'),
  ]);
  const variables = [...passwords, ['PGHOST', PLACES.postgresSocket]].map(([name, value]) => `${name}=${value}`);
  await asPostgres(['env', ...variables, 'sh', join(RELEASE, 'docker/postgres-roles.sh')]);
};
