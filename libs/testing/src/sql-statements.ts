import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';

/** A file with statements. */
export interface SqlFile {
  /** Relative to the folder that was searched. */
  readonly path: string;
  readonly url: string;
  /** The exports that are statements; undefined for `*.sql.ts`, which export nothing else. */
  readonly names: readonly string[] | undefined;
}

/** The tables of a projection, as passed to a statement. */
export interface StatementTables {
  table(name: string): string;
}

const SUFFIX = '.sql.ts';
const NO_SOURCE = /\.spec\.ts$|\.d\.ts$|[/\\](node_modules|generated|testing)[/\\]/;
/** A constant in upper case whose value is a statement, or a call or function that returns one. */
const STATEMENT =
  /^export const ([A-Z][A-Z0-9_]*) =\s*(?:\(\{ table \}: ProjectionTables\) =>\s*)?(?:[`']\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b|[a-z]\w*\([`'])/gm;

/** All files below a folder that export statements; `folder` is a URL such as `new URL('.', import.meta.url)`. */
export const sqlFilesIn = (folder: URL): SqlFile[] => {
  const root = fileURLToPath(folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !NO_SOURCE.test(path))
    .sort()
    .map(path => ({ path: relative(root, path), url: pathToFileURL(path).href, names: namesIn(path) }))
    .filter(({ names }) => names === undefined || names.length > 0);
};

const namesIn = (path: string): string[] | undefined =>
  path.endsWith(SUFFIX) ? undefined : [...readFileSync(path, 'utf8').matchAll(STATEMENT)].map(([, name = '']) => name);

/**
 * The statements among the exports of a module, by name: those with the given names, or all. Each is a string, a function of `StatementTables`,
 * or any other function with an example under its name in the export `examples`.
 * @throws when an export is none of these.
 */
export const statementsOf = (
  exports: Readonly<Record<string, unknown>>,
  names?: readonly string[],
): ReadonlyMap<string, string> => {
  const { examples = {}, ...statements } = exports as { readonly examples?: Readonly<Record<string, unknown>> };
  const wanted = names ? names.map(name => [name, exports[name]] as const) : Object.entries(statements);
  return new Map([...wanted, ...Object.entries(examples)].map(([name, exported]) => [name, textOf(name, exported)]));
};

const textOf = (name: string, exported: unknown): string => {
  const tables: StatementTables = { table: table => pg.escapeIdentifier(table) };
  const text: unknown = typeof exported === 'function' ? exported(tables) : exported;
  if (typeof text === 'string') return text;
  throw new Error(`${name} is not a statement: export strings and functions that return strings`);
};

/**
 * Prepares statements with PostgreSQL, which parses them and looks up every table, column and function, without
 * executing them.
 * @returns one line for each statement that PostgreSQL refuses: its name and the reason.
 */
export const refusedStatements = async (
  connectionString: string,
  statements: ReadonlyMap<string, string>,
): Promise<string[]> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const refused: string[] = [];
  try {
    for (const [name, text] of statements) {
      try {
        await client.query(`PREPARE checked AS ${text}`);
        await client.query('DEALLOCATE checked');
      } catch (error) {
        refused.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await client.end();
  }
  return refused;
};
