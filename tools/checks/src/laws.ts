import type { Import, SourceFile } from './source-tree.js';
import { writingPortsIn } from './writing-ports.js';

/** A law names the files it governs and says what in one of them breaks it. */
export interface Law {
  readonly name: string;
  readonly governs: (path: string) => boolean;
  readonly violations: (file: SourceFile) => readonly string[];
}

const isSpec = (path: string) => /\.spec\.ts$|\/testing\//.test(path);
const isOurs = (specifier: string) => specifier.startsWith('@postern/');

const appOf = (path: string) => /^apps\/([^/]+)\//.exec(path)?.[1];
const roomOf = (path: string) => /^apps\/[^/]+\/src\/([^/.]+)\//.exec(path)?.[1];
const adapterOf = (path: string) => /^apps\/[^/]+\/src\/adapters\/([^/.]+)/.exec(path)?.[1];

const inRoom =
  (...rooms: string[]) =>
  (path: string) =>
    !isSpec(path) && rooms.includes(roomOf(path) ?? '');

const forbidsImports = (file: SourceFile, forbidden: (imported: Import) => boolean): string[] =>
  file.imports.filter(forbidden).map(imported => `imports ${imported.specifier}`);

const forbidsText = (file: SourceFile, patterns: Record<string, RegExp>): string[] =>
  Object.entries(patterns)
    .filter(([, pattern]) => pattern.test(file.text))
    .map(([name]) => `uses ${name}`);

/** Packages that reach the outside world; what thinks must not know them. */
const OUTSIDE =
  /^(pg|fastify|undici|nodemailer|smtp-server|@prisma\/.*|@nats-io\/.*|@nestjs\/(platform|microservices).*)$/;

const BANNED_NAMES = /^(utils?|helpers?|common|shared|core|base|manager|processor|data|info|types)$/;

export const LAWS: readonly Law[] = [
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
    name: 'a domain knows contracts, the vocabulary of event sourcing and mail, and itself',
    governs: inRoom('domain'),
    violations: file =>
      forbidsImports(file, ({ path, specifier }) =>
        path
          ? roomOf(`${path}/`) !== 'domain' && !path.startsWith(file.path.replace(/domain\/.*/, 'domain/'))
          : !/^@postern\/(contracts(\/refusal)?|event-sourcing|mail)$/.test(specifier),
      ),
  },
  {
    name: 'a domain knows no clock, chance or environment',
    governs: inRoom('domain'),
    violations: file =>
      forbidsText(file, {
        'the clock': /Date\.now\(|new Date\(\)|performance\.now/,
        chance: /Math\.random|randomUUID|randomBytes/,
        'the environment': /\bprocess\.|globalThis\b/,
      }),
  },
  {
    name: 'commands and reactions know ports, never adapters, projections or technology',
    governs: inRoom('commands', 'reactions'),
    violations: file =>
      forbidsImports(
        file,
        ({ path, specifier }) =>
          (path !== undefined && /\/src\/(adapters|projections|generated)\//.test(path)) || OUTSIDE.test(specifier),
      ),
  },
  {
    name: 'a command writes through one port, so that all it changes is one transaction',
    governs: path => inRoom('commands')(path) && !TWO_TRANSACTIONS.has(path),
    violations: file => {
      const ports = writingPortsIn(file.text);
      return ports.length > 1 ? [`writes through ${ports.join(' and ')}`] : [];
    },
  },
  {
    name: 'projections decide nothing',
    governs: inRoom('projections'),
    violations: file =>
      forbidsImports(file, ({ path }) => path !== undefined && /\/src\/(commands|reactions|adapters)\//.test(path)),
  },
  {
    name: 'an adapter never imports another adapter',
    governs: inRoom('adapters'),
    violations: file =>
      forbidsImports(file, ({ path }) => {
        const other = path && adapterOf(path);
        return other !== undefined && other !== '' && other !== adapterOf(file.path);
      }),
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
    name: 'no forwardRef, no global modules',
    governs: path => !path.startsWith('tools/checks/'),
    violations: file => forbidsText(file, { forwardRef: /\bforwardRef\s*\(/, '@Global': /@Global\s*\(/ }),
  },
  {
    name: 'index.ts is only the front door of a library or tool',
    governs: path => path.endsWith('/index.ts'),
    violations: file =>
      /^(libs|tools)\/[^/]+\/src\/(index|postgres\/index|testing\/index)\.ts$/.test(file.path) ? [] : ['is a barrel'],
  },
  {
    name: 'files have full kebab-case names that say what they hold',
    governs: () => true,
    violations: file => {
      const name =
        file.path
          .split('/')
          .at(-1)
          ?.replace(/\.tsx?$/, '') ?? '';
      return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name) && !BANNED_NAMES.test(name)
        ? []
        : [`is called ${name}`];
    },
  },
  {
    name: 'a constructor takes five dependencies at most',
    governs: path => path.startsWith('apps/') && !isSpec(path),
    violations: file =>
      [...file.text.matchAll(/constructor\s*\(([^{]*?)\)\s*\{/g)]
        .map(match => (match[1] ?? '').split(/,(?![^<(]*[>)])/).filter(parameter => parameter.trim() !== '').length)
        .filter(count => count > 5)
        .map(count => `has a constructor with ${count} dependencies`),
  },
];

/** Where the order of several transactions is what keeps them right, and why. */
const TWO_TRANSACTIONS: ReadonlySet<string> = new Set([
  // Between the two a mail goes out; an allowance that is used up for nothing is given back.
  'apps/email-send/src/commands/add-verified-recipient.ts',
  // The key first: a domain without one could not sign, and a key without a domain signs nothing.
  'apps/email-send/src/commands/add-sending-domain.ts',
  'apps/email-send/src/commands/rotate-dkim-key.ts',
  // The key last: it signs until the read model stops naming it. A check is repeated until its last step is done.
  'apps/email-send/src/commands/check-sending-domain.ts',
  'apps/email-send/src/commands/remove-sending-domain.ts',
]);

const APP_PACKAGES =
  /^@postern\/(api-gateway|email-send|delivery-tracking|webhook-dispatch|platform-management|runtime-agent|load-balancer|dashboard)(\/|$)/;

export const violationsIn = (files: readonly SourceFile[]): string[] =>
  LAWS.flatMap(law =>
    files
      .filter(file => law.governs(file.path))
      .flatMap(file => law.violations(file).map(violation => `${file.path} ${violation}, but ${law.name}`)),
  );

/** The first import cycle found, as the paths along it; type imports vanish at run time and do not count. */
export const importCycle = (files: readonly SourceFile[]): string[] | undefined => {
  const byPath = new Map(files.map(file => [file.path.replace(/\.tsx?$/, ''), file]));
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
