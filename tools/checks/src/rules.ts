import { services, servicesWithDatabase } from '../../setup/services.mjs';
import { ABSTRACT_CLASSES } from './abstract-classes.js';
import { appOf, Codebase, folderOf, isSpec, LAYERS } from './codebase.js';
import { CYCLE_RULES } from './feature-cycles.js';
import { FEATURE_RULES } from './feature-rules.js';
import { forbidsImports, forbidsText, type Rule } from './rule.js';
import { type SourceFile, withoutEnding } from './source-tree.js';

const isOurs = (specifier: string) => specifier.startsWith('@postern/');

const BANNED_FILE_NAMES = /^(utils?|helpers?|common|shared|core|base|manager|processor|data|info|types)$/;

const APPS = [...services().map(({ name }) => name), 'dashboard', 'documentation'];
const APP_PACKAGES = new RegExp(`^@postern/(${APPS.join('|')})(/|$)`);

/** runtime-agent only has databases of users, and the event store schema is the reference for the other schemas. */
const OTHER_SCHEMAS = /^apps\/runtime-agent\/|^libs\/event-sourcing\/src\/postgres\/schema\.ts$|^libs\/testing\//;

/** A string that starts like a statement that reads or writes rows. */
const TABLE_STATEMENT =
  /['"`]\s*(?:SELECT\b[^'"`]*(?:'[^']*'[^'"`]*)*\bFROM\b|INSERT INTO\b|UPDATE \S+ SET\b|DELETE FROM\b|WITH \w+ AS \()/;

/** What stands before the statement of an exported constant, or in a function that returns statements to such constants. */
const OF_A_CONSTANT =
  /\n(?:export const [A-Z][A-Z0-9_]* =\s*(?:\(\{ table \}: ProjectionTables\) =>\s*)?|const \w+ =\s*(?:\([^)]*\)(?:: string)? =>\s*)+)$/;

const hasHiddenStatement = (text: string): boolean =>
  [...text.matchAll(new RegExp(TABLE_STATEMENT, 'g'))].some(
    ({ index }) => !OF_A_CONSTANT.test(`\n${text.slice(0, index)}`),
  );

/** Services whose replicas share a database, and with it a clock. */
const WITH_DATABASE = new RegExp(`^apps/(${servicesWithDatabase().join('|')})/src/`);

/** Where connections get their limits; the runtime agent only connects to databases of users. */
const CONNECTS =
  /^libs\/service-host\/src\/(database\/|operations\/postgres-findings\.ts$)|^apps\/runtime-agent\/|^libs\/testing\/|\/testing\//;

/** Rules for the whole codebase. */
const GENERAL_RULES: readonly Rule[] = [
  {
    name: 'contracts know zod and nothing else',
    governs: path => path.startsWith('libs/contracts/') && !isSpec(path),
    violations: file => forbidsImports(file, ({ path, specifier }) => !path && specifier !== 'zod'),
  },
  {
    name: 'event-sourcing knows neither Nest nor a service, and pg only in postgres/',
    governs: path => path.startsWith('libs/event-sourcing/') && !isSpec(path),
    violations: file =>
      forbidsImports(
        file,
        ({ specifier }) =>
          specifier.startsWith('@nestjs/') ||
          isOurs(specifier) ||
          (specifier === 'pg' && !file.path.startsWith('libs/event-sourcing/src/postgres/')),
      ),
  },
  {
    name: 'libraries never import apps',
    governs: path => path.startsWith('libs/'),
    violations: file => forbidsImports(file, ({ path }) => path?.startsWith('apps/') ?? false),
  },
  {
    name: 'apps never import apps',
    governs: path => path.startsWith('apps/'),
    violations: file =>
      forbidsImports(file, ({ path, specifier }) => {
        const other = path ? appOf(`${path}/`) : undefined;
        return (other !== undefined && other !== appOf(file.path)) || APP_PACKAGES.test(specifier);
      }),
  },
  {
    name: 'apps are divided by features',
    governs: path => path.startsWith('apps/'),
    violations: file => (LAYERS.has(folderOf(file.path) ?? '') ? ['lies in a layer'] : []),
  },
  {
    name: 'only the runtime agent starts processes and knows the cluster',
    governs: (path, codebase) =>
      path.startsWith('apps/platform-management/') && !isSpec(path) && codebase.hasApp('runtime-agent'),
    violations: file =>
      forbidsImports(file, ({ specifier }) => /^((node:)?child_process|@kubernetes\/client-node)$/.test(specifier)),
  },
  {
    name: 'a statement on tables is an exported constant, which a spec prepares against the schema',
    governs: path =>
      /^(apps|libs)\//.test(path) && !isSpec(path) && !/\.sql\.ts$|\/testing\//.test(path) && !OTHER_SCHEMAS.test(path),
    violations: file => (hasHiddenStatement(file.text) ? ['uses SQL'] : []),
  },
  {
    name: 'what expires and what is deleted is decided by the clock of PostgreSQL',
    governs: path => WITH_DATABASE.test(path) && !isSpec(path) && !path.includes('/testing/'),
    violations: file =>
      forbidsText(file, {
        'the clock of its machine': /new Date\(\s*(Date\.now\(\)|new Date\(\)\.getTime\(\))\s*[-+]/,
      }),
  },
  {
    name: 'every connection to PostgreSQL has the limits of database-limits.ts',
    governs: path => /^(apps|libs)\//.test(path) && !isSpec(path) && !CONNECTS.test(path),
    violations: file => forbidsText(file, { 'a connection of its own': /new (pg\.(Pool|Client)|VerifyingClient)\(/ }),
  },
  {
    name: 'no forwardRef, no global modules',
    governs: path => !path.startsWith('tools/checks/'),
    violations: file => [
      ...forbidsText(file, { forwardRef: /\bforwardRef\s*\(/, '@Global': /@Global\s*\(/ }),
      ...(file.path.startsWith('apps/') ? forbidsText(file, { 'global: true': /\bglobal:\s*true\b/ }) : []),
    ],
  },
  {
    name: 'index.ts is only the entry point of a library or tool',
    governs: path => path.endsWith('/index.ts'),
    violations: file =>
      /^(libs|tools)\/[^/]+\/src\/(index|postgres\/index|testing\/index)\.ts$/.test(file.path) ? [] : ['is a barrel'],
  },
  {
    name: 'no file of an app only exports from others',
    governs: path => path.startsWith('apps/') && !path.endsWith('/index.ts'),
    violations: file => {
      const rest = file.text.replaceAll(/export\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+'[^']*';/g, '');
      return file.text.trim() !== '' && rest.trim() === '' ? ['is a barrel'] : [];
    },
  },
  {
    name: 'files have full kebab-case names that say what they hold',
    governs: () => true,
    violations: file => {
      const name = withoutEnding(file.path.split('/').at(-1) ?? '');
      return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name) && !BANNED_FILE_NAMES.test(name)
        ? []
        : [`is called ${name}`];
    },
  },
];

export const RULES: readonly Rule[] = [...GENERAL_RULES, ...FEATURE_RULES, ...CYCLE_RULES, ABSTRACT_CLASSES];

/** Describes every violation. */
export const violationsIn = (files: readonly SourceFile[]): string[] => {
  const codebase = new Codebase(files);
  return RULES.flatMap(rule =>
    files
      .filter(file => rule.governs(file.path, codebase))
      .flatMap(file => rule.violations(file, codebase).map(violation => `${file.path} ${violation}, but ${rule.name}`)),
  );
};

/** The paths of the first import cycle; type imports do not exist at run time and do not count. */
export const importCycle = (files: readonly SourceFile[]): string[] | undefined => {
  const byPath = new Map(files.map(file => [withoutEnding(file.path), file]));
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const imported of byPath.get(path)?.imports ?? []) {
      if (imported.typeOnly || !imported.path || !byPath.has(imported.path)) continue;
      const cycle = walk(imported.path, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of byPath.keys()) {
    const cycle = walk(path, []);
    if (cycle) return cycle;
  }
  return undefined;
};
