import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One import of a source file: what the code names, and where that is in the repository if it is ours. */
export interface Import {
  readonly specifier: string;
  /** Repository path of a relative import, without its ending; undefined for packages. */
  readonly path: string | undefined;
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Repository path with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/** Reads the imports of one file; `path` decides where relative ones lead. */
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

const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'coverage']);

/** Every TypeScript source below the given folders of the repository, declarations and generated files left out. */
export const readSourceTree = (root: string, folders: readonly string[]): SourceFile[] =>
  folders.flatMap(folder =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : readSourceTree(root, [path]);
      return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')
        ? [sourceFile(path, readFileSync(join(root, path), 'utf8'))]
        : [];
    }),
  );
