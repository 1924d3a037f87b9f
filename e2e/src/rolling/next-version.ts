import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** One change of the next version: a text in a built file and its replacement. */
export interface Change {
  /** Name of the source file, without folders and extension. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Creates version N+1 of a service from its build: the same code in another folder, with these changes.
 * @returns its entry point.
 * @throws if a change does not match exactly once; otherwise both versions would be the same.
 */
export const nextVersionOf = (service: string, changes: readonly Change[], folder: string): string => {
  const app = join(folder, 'apps', service);
  mkdirSync(app, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'prisma'), join(folder, 'prisma'));
  const own = join(ROOT, 'apps', service, 'node_modules');
  if (existsSync(own)) symlinkSync(own, join(app, 'node_modules'));
  for (const part of ['dist', 'package.json'])
    cpSync(join(ROOT, 'apps', service, part), join(app, part), { recursive: true });
  for (const change of changes) applyChange(service, join(app, 'dist'), change);
  return join(app, 'dist/main.js');
};

const applyChange = (service: string, dist: string, { file, from, to }: Change): void => {
  // Finds files by their sources, because build output of deleted files may remain.
  const sources = globSync(`**/${file}{,.projection}.ts`, { cwd: join(ROOT, 'apps', service, 'src') });
  const texts = sources
    .map(source => join(dist, source.replace(/\.ts$/, '.js')))
    .map(path => [path, readFileSync(path, 'utf8')] as const);
  const [match, ...more] = texts.filter(([, text]) => text.split(from).length === 2);
  if (!match || more.length > 0) throw new Error(`${from} must be in exactly one ${file} of ${service}`);
  const [path, text] = match;
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
};
