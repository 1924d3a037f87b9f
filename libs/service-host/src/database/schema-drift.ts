import { readFile } from 'node:fs/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { listMigrations, NO_FILTER, openSchemaEngine } from './schema-engine.js';

export interface DriftOptions {
  /** A server on which a scratch database may be made. */
  readonly serverUrl: string;
  readonly schemaFile: string;
  readonly migrationsDirectory: string;
}

/** The SQL that takes the migrations to the schema; empty when they agree. */
export const schemaDrift = async ({ serverUrl, schemaFile, migrationsDirectory }: DriftOptions): Promise<string> => {
  const schema = { path: schemaFile, content: await readFile(schemaFile, 'utf8') };
  const engine = await openSchemaEngine(new PrismaPg({ connectionString: serverUrl }));
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
  }
};
