import { dirname, join, relative } from 'node:path/posix';
import { matchesPatterns } from '@postern/runtime';
import { parse } from 'yaml';
import { type PackageJson, packageManifest } from './package-json.js';
import type { Project } from './project.js';

/** A package of a repository with several, which the package manager installs together. */
export interface Workspace {
  /** Relative to the root folder. */
  readonly folder: string;
  readonly manifest: PackageJson;
}

/** How deep workspaces may lie, and how many of them are read. */
const DEPTH = 5;
const MOST = 500;

/** The workspaces of npm, Yarn, Bun or pnpm, sorted by folder; empty in other repositories. */
export const workspacesIn = async (root: Project): Promise<readonly Workspace[]> => {
  const patterns = await patternsOf(root);
  if (patterns.length === 0) return [];
  const manifests = patterns.map(pattern => pattern.replace(/\/*$/, '/package.json'));
  const paths = (await root.files('.', DEPTH)).filter(
    path => path.endsWith('/package.json') && matchesPatterns(manifests, path),
  );
  const found = await Promise.all(paths.slice(0, MOST).map(path => workspaceAt(root, path)));
  return found.filter(workspace => workspace !== undefined);
};

/** Whether the root folder has the configuration and the package of a build tool for several projects. */
export const buildToolOf = async (root: Project, manifest: PackageJson): Promise<'turbo' | 'nx' | undefined> => {
  const has = (name: string) => name in { ...manifest.dependencies, ...manifest.devDependencies };
  if (has('turbo') && (await root.has('turbo.json'))) return 'turbo';
  return has('nx') && (await root.has('nx.json')) ? 'nx' : undefined;
};

/** The workspaces that one needs, itself last: each after those that it depends on. */
export const buildOrderOf = (workspaces: readonly Workspace[], last: Workspace): readonly Workspace[] => {
  const byName = new Map(workspaces.map(workspace => [String(workspace.manifest.name), workspace]));
  const ordered = new Set<Workspace>();
  const begun = new Set<Workspace>();
  const add = (workspace: Workspace): void => {
    if (begun.has(workspace)) return;
    begun.add(workspace);
    const { dependencies, devDependencies } = workspace.manifest;
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const needed = byName.get(name);
      if (needed) add(needed);
    }
    ordered.add(workspace);
  };
  add(last);
  return [...ordered];
};

/** The path from a folder back to the root folder. */
export const wayUp = (folder: string): string => relative(folder, '.');

const patternsOf = async (root: Project): Promise<readonly string[]> => {
  const manifest = await root.packageJson();
  if (!manifest) return [];
  const { workspaces } = manifest;
  const packages = (workspaces as { readonly packages?: unknown } | undefined)?.packages;
  return [...textsIn(workspaces), ...textsIn(packages), ...textsIn(await ofPnpm(root))].slice(0, 100);
};

const ofPnpm = async (root: Project): Promise<unknown> => {
  const text = await root.read('pnpm-workspace.yaml');
  if (text === undefined) return undefined;
  try {
    return (parse(text) as { readonly packages?: unknown } | null)?.packages;
  } catch {
    // pnpm itself reports what is wrong.
    return undefined;
  }
};

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string' && each.length <= 500) : [];

const workspaceAt = async (root: Project, path: string): Promise<Workspace | undefined> => {
  try {
    const manifest = packageManifest(await root.read(path));
    return manifest && { folder: join(dirname(path)), manifest };
  } catch {
    // Its package manager reports what is wrong.
    return undefined;
  }
};
