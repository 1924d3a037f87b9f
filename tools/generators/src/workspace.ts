import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What a generator uses of the file tree of Nx. */
export interface Tree {
  readonly root: string;
  exists(path: string): boolean;
  read(path: string, encoding: 'utf-8'): string | null;
  write(path: string, content: string): void;
  listChanges(): readonly { readonly path: string }[];
}

/** @throws if the file does not exist */
export const read = (tree: Tree, path: string): string => {
  const text = tree.read(path, 'utf-8');
  if (text === null) throw new Error(`${path} does not exist`);
  return text;
};

/** Adds a new file. @throws if it exists */
export const create = (tree: Tree, path: string, text: string): void => {
  if (tree.exists(path)) throw new Error(`${path} exists already`);
  tree.write(path, text);
};

/** Replaces a place in a file. @throws with what to do if the file has no such place */
export const insert = (tree: Tree, path: string, place: RegExp, replacement: string): void => {
  const text = read(tree, path);
  if (!place.test(text)) throw new Error(`${path} has no ${place}: write this change by hand`);
  tree.write(path, text.replace(place, replacement));
};

/** Formats the files after Nx has written them, and names the next steps. */
export const finish = (tree: Tree, nextSteps: readonly string[]) => {
  const paths = tree
    .listChanges()
    .map(({ path }) => path)
    .filter(path => /\.(ts|json)$/.test(path) && path !== 'package-lock.json');
  return (): void => {
    execFileSync(process.execPath, [join(tree.root, 'node_modules/.bin/biome'), 'check', '--write', ...paths], {
      cwd: tree.root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    console.log(['', 'Next:', ...nextSteps.map(step => `  ${step}`)].join('\n'));
  };
};
