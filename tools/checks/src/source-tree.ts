import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One import of a source file. */
export interface Import {
  readonly specifier: string;
  /** Repository path of a relative import, without its extension; undefined for packages. */
  readonly path: string | undefined;
  readonly typeOnly: boolean;
}

/** One TypeScript file of the repository. */
export interface SourceFile {
  /** Repository path with forward slashes. */
  readonly path: string;
  /** The source without comments. */
  readonly text: string;
  readonly imports: readonly Import[];
}

/** A file of any kind with its unchanged content. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/** The path without `.ts` or `.tsx`, the form of import paths. */
export const withoutEnding = (path: string): string => path.replace(/\.tsx?$/, '');

/** Reads the imports of one file; relative imports are resolved against `path`. */
export const sourceFile = (path: string, text: string): SourceFile => ({
  path,
  text: withoutComments(text),
  imports: [...withoutComments(text).matchAll(IMPORT)].map(match => {
    const specifier = (match[2] ?? match[3]) as string;
    return {
      specifier,
      path: specifier.startsWith('.')
        ? posix.normalize(posix.join(posix.dirname(path), specifier)).replace(/\.(js|ts|tsx)$/, '')
        : undefined,
      typeOnly: match[1] !== undefined,
    };
  }),
});

const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'coverage', '.git', '.nx', '.temp']);

/** Paths of all files with a matching name in the folders, without built and generated files. */
export const pathsBelow = (root: string, folders: readonly string[], name: RegExp): string[] =>
  folders.flatMap(folder =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : pathsBelow(root, [path], name);
      return name.test(entry.name) ? [path] : [];
    }),
  );

/** All files with a matching name in the folders, with unchanged content. */
export const readTexts = (root: string, folders: readonly string[], name: RegExp): TextFile[] =>
  pathsBelow(root, folders, name).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** All TypeScript sources in the folders, without declarations. */
export const readSourceTree = (root: string, folders: readonly string[]): SourceFile[] =>
  readTexts(root, folders, /(?<!\.d)\.tsx?$/).map(({ path, text }) => sourceFile(path, text));
