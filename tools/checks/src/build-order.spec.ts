import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name?: string;
  readonly workspaces: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly name: string; readonly implicitDependencies?: readonly string[] };
}

const read = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;

/** The workspaces with the folders that their TypeScript projects reference. */
const projects = globSync([...read<Manifest>('package.json').workspaces], { cwd: ROOT })
  .filter(folder => existsSync(join(ROOT, folder, 'package.json')) && existsSync(join(ROOT, folder, 'tsconfig.json')))
  .map(folder => ({
    folder,
    manifest: read<Manifest>(join(folder, 'package.json')),
    references: (read<{ references?: { path: string }[] }>(join(folder, 'tsconfig.json')).references ?? []).map(
      ({ path }) => normalize(join(folder, path.endsWith('.json') ? dirname(path) : path)).replace(/\/$/, ''),
    ),
  }));

/** The workspace folders that Nx builds before `manifest`. */
const builtBefore = (manifest: Manifest, seen = new Set<string>()): ReadonlySet<string> => {
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const implicit = new Set(manifest.nx?.implicitDependencies);
  for (const { folder, manifest: other } of projects) {
    if (seen.has(folder) || !(names.has(other.name as string) || implicit.has(other.nx?.name as string))) continue;
    seen.add(folder);
    builtBefore(other, seen);
  }
  return seen;
};

describe('Nx builds', () => {
  it.each(projects.map(project => [project.folder, project] as const))(
    'the references of %s first, because two concurrent builds of one folder break each other',
    (folder, { manifest, references }) => {
      const before = builtBefore(manifest);
      expect(references.filter(reference => reference !== folder && !before.has(reference))).toEqual([]);
    },
  );
});
