import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { applyMigrations } from './migrations.js';
import { schemaDrift } from './schema-drift.js';

const PRISMA = fileURLToPath(new URL('../../../../prisma', import.meta.url));
const testing = (path: string) => fileURLToPath(new URL(`../testing/${path}`, import.meta.url));

let postgres: TestPostgres;

const urlOf = (database: string): string => {
  const url = new URL(postgres.adminUrl);
  url.pathname = `/${database}`;
  return url.href;
};

const query = async (databaseUrl: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
};

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);

afterAll(() => postgres?.stop());

describe('Migrations', () => {
  it("create the database, are applied once, and are recorded in Prisma's format", async () => {
    const migration = { databaseUrl: urlOf('fresh'), directory: testing('migrations') };
    await expect(applyMigrations(migration)).resolves.toEqual(['0001_greetings']);
    await expect(applyMigrations(migration)).resolves.toEqual([]);
    const recorded = await query(migration.databaseUrl, 'SELECT migration_name, finished_at FROM _prisma_migrations');
    expect(recorded).toEqual([{ migration_name: '0001_greetings', finished_at: expect.any(Date) }]);
  });

  it('are applied by one of several replicas that start together', async () => {
    const migration = { databaseUrl: urlOf('shared'), directory: testing('migrations') };
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(migration)));
    expect(applied.flat()).toEqual(['0001_greetings']);
  });

  it('that were edited after they were applied are refused', async () => {
    const databaseUrl = urlOf('edited');
    await applyMigrations({ databaseUrl, directory: testing('migrations') });
    await expect(applyMigrations({ databaseUrl, directory: testing('edited-migrations') })).rejects.toThrow(
      'edited afterwards: 0001_greetings',
    );
  });

  it('of a newer release do not prevent the start of an older one', async () => {
    const databaseUrl = urlOf('newer');
    const newer = mkdtempSync(join(tmpdir(), 'postern-newer-'));
    cpSync(testing('migrations'), newer, { recursive: true });
    mkdirSync(join(newer, '0002_farewells'));
    writeFileSync(join(newer, '0002_farewells/migration.sql'), 'ALTER TABLE greetings ADD COLUMN farewell text;');
    try {
      await expect(applyMigrations({ databaseUrl, directory: newer })).resolves.toEqual([
        '0001_greetings',
        '0002_farewells',
      ]);
      await expect(applyMigrations({ databaseUrl, directory: testing('migrations') })).resolves.toEqual([]);
    } finally {
      rmSync(newer, { recursive: true });
    }
  });

  it('build an index beside writes, as the only statement of a migration', async () => {
    const databaseUrl = urlOf('indexed');
    const directory = mkdtempSync(join(tmpdir(), 'postern-indexed-'));
    cpSync(testing('migrations'), directory, { recursive: true });
    mkdirSync(join(directory, '0002_index'));
    writeFileSync(
      join(directory, '0002_index/migration.sql'),
      '-- Greetings are searched by name.\nCREATE INDEX CONCURRENTLY greetings_name ON greetings (name);\n',
    );
    await expect(applyMigrations({ databaseUrl, directory })).resolves.toEqual(['0001_greetings', '0002_index']);
    expect(
      await query(databaseUrl, `SELECT indisvalid FROM pg_index WHERE indexrelid = 'greetings_name'::regclass`),
    ).toEqual([{ indisvalid: true }]);
    rmSync(directory, { recursive: true });
  });

  it.each(readdirSync(PRISMA))('of %s refuse a database from before 0.2.0, and leave it unchanged', async service => {
    const databaseUrl = urlOf(`before-${service}`);
    const before = mkdtempSync(join(tmpdir(), 'postern-before-'));
    cpSync(testing('migrations/0001_greetings'), join(before, '0001_release'), { recursive: true });
    await applyMigrations({ databaseUrl, directory: before });
    rmSync(before, { recursive: true });
    await expect(applyMigrations({ databaseUrl, directory: join(PRISMA, service, 'migrations') })).rejects.toThrow(
      'from before 0.2.0, which no release can upgrade. Configure an empty database',
    );
    await expect(
      query(databaseUrl, `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`),
    ).resolves.toEqual([{ relname: '_prisma_migrations' }, { relname: 'greetings' }]);
  });

  it('are followed by further preparations', async () => {
    const databaseUrl = urlOf('prepared');
    const afterwards = (pool: pg.Pool) => pool.query('CREATE TABLE IF NOT EXISTS prepared (id int)');
    await applyMigrations({ databaseUrl, directory: testing('migrations'), afterwards });
    await expect(query(databaseUrl, 'SELECT * FROM prepared')).resolves.toEqual([]);
  });

  it('agree with their schema, or the difference is returned as SQL', async () => {
    const drift = (schema: string) =>
      schemaDrift({
        serverUrl: postgres.adminUrl,
        schemaFile: testing(schema),
        migrationsDirectory: testing('migrations'),
      });
    await expect(drift('schema.prisma')).resolves.toBe('');
    await expect(drift('schema-ahead.prisma')).resolves.toContain('ADD COLUMN     "mood" TEXT');
  });
});
