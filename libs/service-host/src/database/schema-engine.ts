import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';

export const NO_FILTER = { externalTables: [], externalEnums: [] };

/** TypeScript declares this global only with the DOM library. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(compiled: object, imports: object): Promise<{ readonly exports: Readonly<Record<string, unknown>> }>;
};

/** An undeclared export of wasm-bindgen. */
interface Bindings {
  readonly SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: object): void;
}

/**
 * The migration engine of Prisma as WebAssembly, which requires no download. It is large, so it is loaded only when
 * needed.
 */
export const openSchemaEngine = async (adapter: PrismaPg): Promise<SchemaEngine> => {
  loading ??= loadBindings();
  const { SchemaEngine } = await loading;
  const ignoreLog = () => {};
  return SchemaEngine.new({ datamodels: undefined }, ignoreLog, bindMigrationAwareSqlAdapterFactory(adapter));
};

/** The bindings support one instance of the binary; a second one would invalidate the first. */
let loading: Promise<Bindings> | undefined;

const loadBindings = async (): Promise<Bindings> => {
  const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as Bindings;
  // The entry point of the package imports the binary as a module, which Jest and older releases of Node.js do not
  // support.
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const compiled = await WebAssembly.compile(await readFile(join(entry, '..', 'schema_engine_bg.wasm')));
  const instance = await WebAssembly.instantiate(compiled, {
    './schema_engine_bg.js': withoutLingering(bindings),
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  return bindings;
};

/** The engine leaves a ten-second timer running, which must not keep the process alive. */
const withoutLingering = (bindings: Bindings): object =>
  Object.fromEntries(
    Object.entries(bindings).map(([name, imported]) => [
      name,
      name.startsWith('__wbg_setTimeout_')
        ? (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds >>> 0).unref()
        : imported,
    ]),
  );

/** The directories of a migrations folder in order, in the format of the engine. */
export const listMigrations = async (directory: string): Promise<MigrationList> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async name => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(join(directory, name, 'migration.sql'), 'utf8') },
      },
    })),
  );
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories,
  };
};
