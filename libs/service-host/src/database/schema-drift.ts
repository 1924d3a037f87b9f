import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { CatalogueAdapter } from './catalogue-adapter.js';
import { listMigrations, NO_FILTER, openSchemaEngine } from './schema-engine.js';

export interface DriftOptions {
  /** A server on which a scratch database may be created. */
  readonly serverUrl: string;
  readonly schemaFile: string;
  readonly migrationsDirectory: string;
}

/** The SQL that migrates from the migrations to the schema; empty if they agree. */
export const schemaDrift = async ({ serverUrl, schemaFile, migrationsDirectory }: DriftOptions): Promise<string> => {
  const schema = { path: schemaFile, content: await readFile(schemaFile, 'utf8') };
  const scratch = await makeScratchDatabase(serverUrl);
  const engine = await openSchemaEngine(new CatalogueAdapter(serverUrl, scratch.url));
  try {
    const { stdout, exitCode } = await engine.diff({
      from: { tag: 'migrations', ...(await listMigrations(migrationsDirectory)) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: NO_FILTER,
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  } finally {
    engine.free();
    await scratch.drop();
  }
};

const makeScratchDatabase = async (serverUrl: string) => {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const name = `postern_scratch_${randomUUID()}`;
  await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await admin.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
      await admin.end();
    },
  };
};
