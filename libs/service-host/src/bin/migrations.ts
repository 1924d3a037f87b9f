import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaDrift } from '../database/schema-drift.js';

const USAGE = `migrations new <service> <name>   writes prisma/<service>/migrations/NNNN_<name>/migration.sql from the schema
migrations check [service…]       fails when a schema and its migrations disagree
POSTERN_DATABASE_URL names a PostgreSQL for scratch databases; without it one is started for the moment.
`;

// npm runs workspace scripts in the folder of the workspace and sets INIT_CWD to the caller's folder.
const prisma = join(process.env['INIT_CWD'] ?? process.cwd(), 'prisma');

const withServer = async <T>(work: (serverUrl: string) => Promise<T>): Promise<T> => {
  const given = process.env['POSTERN_DATABASE_URL'];
  if (given) return work(given);
  const { startPostgres } = await import('@postern/testing');
  const postgres = await startPostgres();
  return work(postgres.adminUrl).finally(() => postgres.stop());
};

const driftOf = (service: string, serverUrl: string): Promise<string> =>
  schemaDrift({
    serverUrl,
    schemaFile: join(prisma, service, 'schema.prisma'),
    migrationsDirectory: join(prisma, service, 'migrations'),
  });

const writeMigration = async (service: string, name: string): Promise<number> => {
  const sql = await withServer(url => driftOf(service, url));
  if (sql === '') {
    process.stdout.write(`${service}: schema and migrations agree, nothing to write\n`);
    return 0;
  }
  const directory = join(prisma, service, 'migrations');
  const existing = await readdir(directory).catch(() => []);
  const last = Math.max(0, ...existing.map(entry => Number.parseInt(entry, 10)).filter(Number.isFinite));
  const target = join(directory, `${String(last + 1).padStart(4, '0')}_${name.replaceAll(/[^a-z0-9]+/g, '_')}`);
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'migration.sql'), sql);
  process.stdout.write(`${target}/migration.sql\n`);
  return 0;
};

const check = async (services: readonly string[]): Promise<number> =>
  withServer(async url => {
    let drifted = 0;
    for (const service of services.length > 0 ? services : (await readdir(prisma)).sort()) {
      const sql = await driftOf(service, url);
      if (sql === '') continue;
      drifted += 1;
      process.stderr.write(`${service}: the schema is ahead of its migrations:\n${sql}\n`);
    }
    return drifted === 0 ? 0 : 1;
  });

const [command, ...rest] = process.argv.slice(2);
const [service, name] = rest;
if (command === 'new' && service && name) process.exitCode = await writeMigration(service, name);
else if (command === 'check') process.exitCode = await check(rest);
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
