import { dirname } from 'node:path/posix';
import { commandStart, staticStart } from './build-plan.js';
import type { PackageJson } from './package-json.js';
import { firstOf, type Project } from './project.js';
import { quoted } from './quoted.js';
import type { Start } from './start.js';

/** How projects of a framework are started in production if their `start` script is for development or missing. */
interface Framework {
  readonly name: string;
  readonly dependency: string;
  /** Scripts that start a development server. */
  readonly development: RegExp;
  /** Folders of the site that a build creates. */
  readonly sites?: readonly string[];
  readonly server?: { readonly file: string; readonly command: string };
}

const FRAMEWORKS: readonly Framework[] = [
  { name: 'Create React App', dependency: 'react-scripts', development: /\breact-scripts\s+start\b/, sites: ['build'] },
  { name: 'Vue CLI', dependency: '@vue/cli-service', development: /\bvue-cli-service\s+serve\b/, sites: ['dist'] },
  {
    name: 'Gatsby',
    dependency: 'gatsby',
    development: /\bgatsby\s+(develop|serve)\b/,
    sites: ['public'],
  },
  {
    name: 'Docusaurus',
    dependency: '@docusaurus/core',
    development: /\bdocusaurus\s+(start|serve)\b/,
    sites: ['build'],
  },
  { name: 'Docusaurus 1', dependency: 'docusaurus', development: /\bdocusaurus-start\b/, sites: [] },
  {
    name: 'VitePress',
    dependency: 'vitepress',
    development: /\bvitepress\s+(dev|serve|preview)\b|\bvitepress$/,
    sites: [],
  },
  { name: 'Eleventy', dependency: '@11ty/eleventy', development: /\beleventy\b.{0,100}--serve\b/, sites: ['_site'] },
  { name: 'Hexo', dependency: 'hexo', development: /\bhexo\s+s(erver)?\b/, sites: ['public'] },
  { name: 'Angular', dependency: '@angular/core', development: /\bng\s+serve\b/, sites: [] },
  {
    name: 'Nuxt',
    dependency: 'nuxt',
    development: /\bnuxi?\s+(dev|preview)\b/,
    server: { file: '.output/server/index.mjs', command: 'node .output/server/index.mjs' },
    sites: ['.output/public', 'dist'],
  },
  {
    name: 'SvelteKit',
    dependency: '@sveltejs/kit',
    development: /\b(svelte-kit|vite)\s+(dev|preview)\b/,
    server: { file: 'build/index.js', command: 'node build' },
    sites: ['build'],
  },
  {
    name: 'Astro',
    dependency: 'astro',
    development: /\bastro\s+(dev|start|preview)\b/,
    server: { file: 'dist/server/entry.mjs', command: 'HOST=0.0.0.0 node dist/server/entry.mjs' },
    sites: ['dist'],
  },
  {
    name: 'TanStack Start',
    dependency: '@tanstack/react-start',
    development: /\bvite\b/,
    server: { file: '.output/server/index.mjs', command: 'node .output/server/index.mjs' },
  },
  {
    name: 'Next.js',
    dependency: 'next',
    development: /\bnext\s+dev\b/,
    server: { file: '.next/BUILD_ID', command: 'next start' },
    sites: ['out'],
  },
  {
    name: 'NestJS',
    dependency: '@nestjs/core',
    development: /\bnest\s+start\b/,
    server: { file: 'dist/main.js', command: 'node dist/main.js' },
  },
  { name: 'Vite', dependency: 'vite', development: /\bvite\b(?!-node)/, sites: ['dist', 'public'] },
  { name: 'Rollup', dependency: 'rollup', development: /\bsirv\s+public\b/, sites: ['public'] },
  { name: 'Parcel', dependency: 'parcel', development: /\bparcel\b/, sites: ['dist'] },
];

const MAINS = [
  'server.js',
  'server.mjs',
  'index.js',
  'index.mjs',
  'app.js',
  'main.js',
  'src/index.js',
  'src/server.js',
  'index.ts',
  'server.ts',
  'app.ts',
  'main.ts',
  'src/index.ts',
  'src/server.ts',
  'src/main.ts',
];

export interface NodeStart {
  readonly rule?: string;
  readonly find: (built: Project) => Promise<Start | undefined>;
}

export const hasStartScript = ({ scripts = {} }: PackageJson): boolean =>
  typeof scripts['start'] === 'string' && scripts['start'].trim() !== '';

/** Whether Node.js starts a server of the project: by a start script that is not for development, or a main file. */
export const startsNode = async (project: Project, manifest: PackageJson): Promise<boolean> =>
  hasStartScript(manifest) || (await firstOf(project, mainsOf(manifest))) !== undefined;

/** `bun init` names the main file in `module`. */
const mainsOf = ({ main, module }: PackageJson): readonly string[] => [
  ...[main, module].filter(file => typeof file === 'string'),
  ...MAINS,
];

const startMain = async (built: Project, manifest: PackageJson): Promise<Start | undefined> => {
  if (await built.has('index.html')) return undefined;
  const file = await firstOf(built, mainsOf(manifest));
  if (file === undefined) return undefined;
  return commandStart(`${(await firstOf(built, ['bun.lock', 'bun.lockb'])) === undefined ? 'node' : 'bun'} ${file}`);
};

/** How a Node.js project is started. If `find` returns undefined, the general rules apply. */
export const nodeStart = (manifest: PackageJson): NodeStart => {
  const { dependencies = {}, devDependencies = {}, scripts = {} } = manifest;
  const script = typeof scripts['start'] === 'string' ? expanded(scripts['start'], scripts) : undefined;
  if (script !== undefined && NX.test(script))
    return {
      rule: `Nx found, whose start script is for development (${script}): its production build is served`,
      find: builtByNx,
    };
  const framework = FRAMEWORKS.find(({ dependency }) => dependency in dependencies || dependency in devDependencies);
  if (framework && (script === undefined || framework.development.test(script))) {
    const why = script === undefined ? 'without a start script' : `whose start script is for development (${script})`;
    return {
      rule: `${framework.name} found, ${why}: its production build is served`,
      find: built => ofFramework(framework, built, String(scripts['build'])),
    };
  }
  if (script !== undefined) return { find: async () => undefined };
  return { find: built => startMain(built, manifest) };
};

/** Starts a development server of a project of Nx. */
const NX = /\bnx\s+(?:serve|run\s+[\w-]+:serve)\b/;

/** Nx builds into `dist` of the root folder, below the path or the name of the project. */
const builtByNx = async (built: Project): Promise<Start | undefined> => {
  const mains = (await built.files('dist', 2)).filter(path => /\/main\.[cm]?js$/.test(path));
  const [main] = mains.sort((one, other) => one.split('/').length - other.split('/').length);
  // Some sites have a main.js, too.
  const isServer = main !== undefined && !(await built.has(`${dirname(main)}/index.html`));
  if (isServer) return commandStart(`node ${quoted(main)}`);
  const [site] = await sitesBelow('dist', built);
  return site === undefined ? undefined : staticStart(site);
};

/** Longer scripts are not expanded, because a script can call another one many times. */
const MAX_EXPANDED_LENGTH = 1_000;

/** Replaces calls of other scripts by their commands. */
const expanded = (script: string, scripts: Readonly<Record<string, unknown>>): string =>
  script.length > MAX_EXPANDED_LENGTH
    ? script
    : script.replaceAll(/\b(?:(?:npm|pnpm|bun) run|yarn(?: run)?)\s+([\w:-]+)/g, (call, name: string) => {
        const called = name === 'start' ? undefined : scripts[name];
        return typeof called === 'string' && called.length <= MAX_EXPANDED_LENGTH ? called : call;
      });

const ofFramework = async (
  { server, sites = [], name }: Framework,
  built: Project,
  build: string,
): Promise<Start | undefined> => {
  if (server && (await built.has(server.file))) return commandStart(server.command);
  const parent = NAMED_AFTER_PROJECT[name];
  const named = [...vitePressSites(name, build), ...(await svelteSites(name, built))];
  const found = parent === undefined ? [...named, ...sites] : await sitesBelow(parent, built);
  for (const folder of found) if (await built.has(`${folder}/index.html`)) return staticStart(folder);
  return undefined;
};

/** VitePress builds the site into the folder of its pages, which its command names. */
const vitePressSites = (name: string, build: string): readonly string[] => {
  if (name !== 'VitePress') return [];
  const folder = /\bvitepress\s+build\s+(?:\.\/)?([\w./-]+)/.exec(build)?.[1];
  return folder === undefined ? ['.vitepress/dist'] : [`${folder.replace(/\/$/, '')}/.vitepress/dist`];
};

/** The static adapter of SvelteKit builds the site into a folder that its settings name. */
const svelteSites = async (name: string, built: Project): Promise<readonly string[]> => {
  const settings = name === 'SvelteKit' ? await built.readBeginning('svelte.config.js') : undefined;
  const folder = /\bpages:[ \t]*["']([\w./-]+)["']/.exec(settings ?? '')?.[1];
  return folder === undefined ? [] : [folder];
};

/** Frameworks that name the folder of the site after the project, with its parent folder. */
const NAMED_AFTER_PROJECT: Readonly<Record<string, string>> = { Angular: 'dist', 'Docusaurus 1': 'build' };

/** Sorted by depth, the outermost first. */
const sitesBelow = async (parent: string, built: Project): Promise<readonly string[]> => {
  const pages = (await built.files(parent, 3)).filter(path => path.endsWith('/index.html'));
  const folders = pages.map(path => path.slice(0, -'/index.html'.length));
  return folders.sort((one, other) => one.split('/').length - other.split('/').length);
};
