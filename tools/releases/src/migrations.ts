import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, newestOf, type ReleaseContract } from '@postern/compatibility';
import { createdTable, harmsOf } from './migration-rules.js';
import { type SqlStatement, sqlStatements } from './sql-statements.js';

/** A migration of a service. */
export interface Migration {
  readonly name: string;
  readonly script: string;
}

/** The migrations of a service in the checkout, in their order. */
export const migrationsOf = (root: string, service: string): readonly Migration[] => {
  const folder = join(root, 'prisma', service, 'migrations');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => existsSync(join(folder, name, 'migration.sql')))
    .sort()
    .map(name => ({ name, script: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
};

const digestOf = (script: string): string => createHash('sha256').update(script).digest('hex');

/** The digest of each migration, as a release stores it. */
export const migrationDigests = (migrations: readonly Migration[]): Readonly<Record<string, string>> =>
  Object.fromEntries(migrations.map(({ name, script }) => [name, digestOf(script)]));

/** `-- contract: <release> …` before a statement names the release that no longer needs what it changes. */
const CONTRACT = /^contract: ([a-z-]+@\d\S*?)[.,;:]?(?:\s|$)/;
/** `-- lock: …` before a statement says why its lock is short. */
const LOCK = /^lock: \S/;

/**
 * What the newest release cannot bear in the migrations that it does not have: it runs while they are carried out, and runs
 * again after a rollback. Tables that they create may be changed freely.
 */
export const migrationFindings = (
  service: string,
  migrations: readonly Migration[],
  released: readonly ReleaseContract[],
): readonly string[] => {
  const own = released.filter(release => release.service === service);
  const [newest] = newestOf(own);
  if (!newest) return [];
  const stored = newest.migrations ?? {};
  const pending = migrations.filter(({ name }) => stored[name] === undefined);
  const created = new Set<string>();
  return [
    ...changedFindings(newest, migrations),
    ...pending.flatMap(migration => {
      const at = `prisma/${service}/migrations/${migration.name}`;
      let statements: readonly SqlStatement[];
      try {
        statements = sqlStatements(migration.script);
      } catch (error) {
        return [`${at} cannot be read: ${(error as Error).message}.`];
      }
      return statements.flatMap(statement => {
        const table = createdTable(statement);
        if (table !== undefined) created.add(table);
        const context = { isNew: (name: string) => created.has(name), isAlone: statements.length === 1 };
        return harmsOf(statement, context).flatMap(({ kind, what, instead }) => {
          const problem = kind === 'locks' ? lockProblem(statement) : contractProblem(statement, own, service);
          return problem === undefined ? [] : [`${at}: ${what}. ${instead}${problem}`];
        });
      });
    }),
  ];
};

/** A released migration was carried out in databases, which compare its digest. */
const changedFindings = (newest: ReleaseContract, migrations: readonly Migration[]): readonly string[] => {
  const now = migrationDigests(migrations);
  return Object.entries(newest.migrations ?? {})
    .filter(([name, digest]) => now[name] !== digest)
    .map(
      ([name]) =>
        `prisma/${newest.service}/migrations/${name} was ${now[name] === undefined ? 'removed' : 'changed'} after ` +
        `${nameOf(newest)}. Restore it, and add another migration.`,
    );
};

const lockProblem = ({ comments }: SqlStatement): string | undefined =>
  comments.some(comment => LOCK.test(comment))
    ? undefined
    : ', or write `-- lock: <why it is short>` above the statement.';

const contractProblem = (
  { comments }: SqlStatement,
  own: readonly ReleaseContract[],
  service: string,
): string | undefined => {
  const named = comments.flatMap(comment => CONTRACT.exec(comment)?.[1] ?? []);
  const missing = named.find(name => !own.some(release => nameOf(release) === name));
  if (named.length > 0 && missing === undefined) return undefined;
  return missing === undefined
    ? `, or write \`-- contract: ${service}@<version> <why>\` above the statement, with the release that no longer needs it.`
    : `. ${missing} is not a release of ${service} in libs/contracts/released: release it first.`;
};
