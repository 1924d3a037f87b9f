import { posix } from 'node:path';
import { type SourceFile, withoutEnding } from './source-tree.js';

/** Layer names; apps must not be divided by layer. */
export const LAYERS = new Set(['domain', 'commands', 'reactions', 'projections', 'adapters', 'ports']);

/** Top-level folders of an app that are not features. */
const NO_FEATURES = new Set(['infrastructure', 'testing', 'generated', 'bin']);

/** Packages for I/O. */
export const OUTSIDE_PACKAGES =
  /^(pg|fastify|undici|nodemailer|smtp-server|@prisma\/.*|@nats-io\/.*|@kubernetes\/.*|@nestjs\/(platform|microservices).*|node:(http|https|http2|net|tls|dns|child_process)(\/.*)?)$/;

/** Packages that pure code may import. */
const PURE_PACKAGES = /^@postern\/(contracts(\/refusal)?|event-sourcing|mail|messaging\/backoff)$/;

/** Impure operations, by source pattern. */
const IMPURE_TEXT: Readonly<Record<string, RegExp>> = {
  'the clock': /Date\.now\(|new Date\(\)|performance\.now|\bset(Timeout|Interval|Immediate)\(/,
  chance: /Math\.random|randomUUID|randomBytes/,
  'the environment': /\bprocess\.|globalThis\b/,
};

export const isSpec = (path: string): boolean => /\.spec\.tsx?$|\/testing\//.test(path);
export const appOf = (path: string): string | undefined => /^apps\/([^/]+)\//.exec(path)?.[1];

/** The top-level folder of an app's sources that contains the file; undefined for files outside these folders. */
export const folderOf = (path: string): string | undefined => /^apps\/[^/]+\/src\/([^/]+)\//.exec(path)?.[1];

/** The context of a file: the top-level folder of its feature. Undefined for root files, infrastructure and test support. */
export const contextOf = (path: string): string | undefined => {
  const folder = folderOf(path);
  return folder !== undefined && !NO_FEATURES.has(folder) ? folder : undefined;
};

export const isModule = (path: string): boolean => /\.module(\.ts)?$/.test(path);
export const isReadModel = (path: string): boolean => /\.projection(\.ts)?$/.test(path);
export const isPort = (path: string): boolean => /\/ports(\/[^/]+)?(\.ts)?$/.test(path);

const DECORATOR = String.raw`@\w+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`;
const MARKED_CLASS = new RegExp(
  String.raw`@Handles\((?:[^()]|\([^()]*\))*\)\s*(?:${DECORATOR}\s*)*(?:export\s+)?class\b`,
);

/** Queries over all source files that the rules need. */
export class Codebase {
  readonly #byPath: ReadonlyMap<string, SourceFile>;
  /** The module files of each folder. */
  readonly #modules: ReadonlyMap<string, readonly SourceFile[]>;
  readonly #impurities = new Map<string, readonly string[]>();

  constructor(readonly files: readonly SourceFile[]) {
    this.#byPath = new Map(files.map(file => [withoutEnding(file.path), file]));
    this.#modules = Map.groupBy(
      files.filter(({ path }) => isModule(path)),
      ({ path }) => posix.dirname(path),
    );
  }

  /**
   * The feature of a file, as its path below the sources of the app: the nearest folder with a Nest module, or else its
   * context. Undefined for root files, infrastructure and test support.
   */
  featureOf(path: string): string | undefined {
    const context = contextOf(path);
    if (context === undefined) return undefined;
    const [root, inside = ''] = path.split('/src/', 2);
    for (let folder = posix.dirname(inside); folder !== context; folder = posix.dirname(folder)) {
      if (this.#modules.has(`${root}/src/${folder}`)) return folder;
    }
    return context;
  }

  /** Whether the module of its feature exports a class of the file. */
  isExported(path: string): boolean {
    const feature = this.featureOf(path);
    const text = this.find(path)?.text ?? '';
    const modules = this.#modules.get(path.replace(/\/src\/.*/, `/src/${feature}`)) ?? [];
    return modules.some(({ text: module }) =>
      [...(/\bexports: \[([^\]]*)\]/.exec(module)?.[1]?.matchAll(/\w+/g) ?? [])].some(([name]) =>
        new RegExp(`\\bexport (abstract )?class ${name}\\b`).test(text),
      ),
    );
  }

  /** The file that an import resolves to; undefined if it is not a TypeScript source of this repository. */
  find(path: string): SourceFile | undefined {
    return this.#byPath.get(withoutEnding(path));
  }

  hasApp(name: string): boolean {
    return this.files.some(file => appOf(file.path) === name);
  }

  /** Whether the file belongs to a service that is organized by features. */
  isByFeature(path: string): boolean {
    const app = appOf(path);
    return app !== undefined && app !== 'dashboard';
  }

  /** A class marked `@Handles`, or one with an `execute` that such a class may use. */
  isCommand(file: SourceFile): boolean {
    if (contextOf(file.path) === undefined || isModule(file.path) || isReadModel(file.path)) return false;
    if (MARKED_CLASS.test(file.text)) return true;
    return /^ {2}(?:async )?execute\(/m.test(file.text) && !this.isAdapter(file.path);
  }

  /** Uses a technology: is in infrastructure, or imports statements or a package for I/O. */
  isAdapter(path: string): boolean {
    if (isModule(path) || isReadModel(path) || isPort(path) || isSpec(path)) return false;
    if (folderOf(path) === 'infrastructure') return !this.isPure(path);
    return (this.find(path)?.imports ?? []).some(
      ({ path: target, specifier, typeOnly }) =>
        (!typeOnly && OUTSIDE_PACKAGES.test(specifier)) ||
        target?.endsWith('.sql') ||
        specifier === '@postern/event-sourcing/postgres',
    );
  }

  isPure(path: string): boolean {
    const file = this.find(path);
    return file !== undefined && this.closureOf(file).every(each => this.impurities(each).length === 0);
  }

  /** Operations in the file that pure code must not use. */
  impurities(file: SourceFile): readonly string[] {
    const known = this.#impurities.get(file.path);
    if (known) return known;
    const imported = file.imports
      .filter(({ path, specifier }) =>
        path ? appOf(path) !== appOf(file.path) || path.includes('/generated/') : !PURE_PACKAGES.test(specifier),
      )
      .map(({ specifier }) => `imports ${specifier}`);
    const used = Object.entries(IMPURE_TEXT)
      .filter(([, pattern]) => pattern.test(file.text))
      .map(([name]) => `uses ${name}`);
    const impurities = [...imported, ...used];
    this.#impurities.set(file.path, impurities);
    return impurities;
  }

  /** The file and its direct and indirect imports within the app. */
  closureOf(file: SourceFile): SourceFile[] {
    const found = new Map([[file.path, file]]);
    for (const each of found.values()) {
      for (const { path } of each.imports) {
        const target = path === undefined ? undefined : this.find(path);
        if (target && appOf(target.path) === appOf(file.path)) found.set(target.path, target);
      }
    }
    return [...found.values()];
  }
}
