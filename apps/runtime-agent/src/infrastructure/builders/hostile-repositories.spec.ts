import { link, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { buildPlanFor, startOf } from './builders.js';
import { largeFilesNotFetched, submodulesNotFetched } from './not-fetched.js';
import { projectIn } from './project.js';
import { longTexts } from './testing/long-texts.js';
import { machineWith } from './testing/machine-with.js';

interface Ecosystem {
  /** The files that contain the long text. */
  readonly files: readonly string[];
  readonly others?: Readonly<Record<string, string>>;
  readonly beginnings?: readonly string[];
  readonly tokens?: readonly string[];
  /** Puts the text into a document. */
  readonly within?: (text: string) => string;
}

const ECOSYSTEMS: Readonly<Record<string, Ecosystem>> = {
  'no known language': {
    files: ['Procfile', '.gitmodules', '.gitattributes'],
    beginnings: ['web:', 'web: a=', 'path', 'path =', '*.psd', '*.psd filter=lfs'],
    tokens: ['path', 'web:', 'filter=lfs', ' filter=lfs'],
  },
  Deno: {
    files: ['deno.json', 'main.ts'],
    beginnings: ['{"tasks"', '{"tasks":', '{"tasks":{', '{"tasks":{}', '/*'],
    tokens: ['"tasks":{', '"tasks":{"a":', '{"tasks":{},', '"tasks"', "from '"],
  },
  Go: { files: ['go.mod'], beginnings: ['module', 'module a'], tokens: ['module', '/v1'] },
  Ruby: { files: ['Gemfile'] },
  'a Python application': {
    files: ['app.py', '.python-version', 'runtime.txt', 'Pipfile', 'pyproject.toml'],
    beginnings: ['a:', 'a =', 'def create_app(', 'python = "', 'python_version', '3.', 'python-3.'],
    tokens: ['a = FastAPI', 'FastAPI(', 'Flask(', 'a:\r', 'a:\u2028', 'def create_app(', 'requires-python = "'],
  },
  Django: {
    files: ['shop/settings.py', 'requirements.txt'],
    others: { 'manage.py': '' },
    beginnings: ['STATIC_ROOT', 'WSGI_APPLICATION', 'WSGI_APPLICATION = "', 'WSGI_APPLICATION = "a.'],
    tokens: ['STATIC_ROOT', 'WSGI_APPLICATION = "'],
  },
  PHP: { files: ['composer.json'], tokens: ['{"require":', '"a/b":'] },
  'PHP with the web server of Heroku': {
    files: ['Procfile'],
    others: { 'composer.json': '{}' },
    beginnings: ['web: heroku-php-apache2', 'web: heroku-php-nginx ', 'web: heroku-php-nginx -a', 'web: vendor/bin/'],
  },
  Java: { files: ['build.gradle', 'gradlew'], tokens: ['stag'] },
  Rust: {
    files: ['Cargo.toml'],
    beginnings: ['[package]', '[package]\nname', '[package]\nname = "'],
    tokens: ['[package]', 'name', 'name = "'],
  },
  'Node.js': {
    files: ['yarn.lock', 'pnpm-lock.yaml', '.yarnrc.yml'],
    others: { 'package.json': '{"dependencies":{"a":"1"},"packageManager":"yarn@4.0.0"}' },
    beginnings: ['yarnPath:', 'yarnPath: "a', 'lockfileVersion:'],
    tokens: ['yarnPath:', '__metadata', 'lockfileVersion'],
  },
  'Node.js with long scripts': {
    files: ['package.json'],
    beginnings: ['npm run', 'vite', 'yarn', 'gatsby'],
    tokens: ['npm run start ', 'npm run prestart ', 'yarn ', 'vite ', 'gatsby ', 'svelte-kit ', 'ng '],
    within: text => JSON.stringify({ scripts: { start: text.slice(0, 120_000), prestart: text.slice(0, 120_000) } }),
  },
  'Node.js with long versions': {
    files: ['package.json'],
    within: text => {
      const version = text.slice(0, 80_000);
      const packages = { vite: version, webpack: `^${version}` };
      return JSON.stringify({
        devDependencies: packages,
        engines: { node: version },
        packageManager: `yarn@1${version}`,
        main: version,
      });
    },
  },
  Hugo: {
    files: ['hugo.toml'],
    beginnings: ['theme', 'theme =', 'theme = "a', 'theme = a\nthemesDir'],
    tokens: ['theme', 'theme=', 'themesdi'],
  },
};

const HERE = machineWith('python3=python3.11', 'python3.11', 'deno');

describe('A repository whose files are long runs of the same characters', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'postern-hostile-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  /** Creates a repository in which all files of the ecosystem contain the text. */
  const repositoryOf = async ({ files, others = {}, within = text => text }: Ecosystem, text: string) => {
    const directory = await mkdtemp(join(root, 'repository-'));
    const [first = '', ...more] = files;
    for (const name of [...files, ...Object.keys(others)])
      await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, first), within(text));
    for (const name of more) await link(join(directory, first), join(directory, name));
    for (const [name, content] of Object.entries(others)) await writeFile(join(directory, name), content);
    return directory;
  };

  /** Does what a build does with a source, except for running its command. */
  const inspect = async (directory: string): Promise<void> => {
    const project = projectIn(directory);
    await largeFilesNotFetched(project);
    await submodulesNotFetched(project);
    try {
      await startOf(directory, await buildPlanFor(project, HERE), '');
    } catch (error) {
      if (!(error instanceof BuildFailed)) throw error;
    }
  };

  // Quadratic patterns take minutes to hours for these texts.
  it.each(Object.entries(ECOSYSTEMS))('does not delay the agent: %s', async (_, ecosystem) => {
    for (const text of longTexts(ecosystem.beginnings, ecosystem.tokens)) {
      const directory = await repositoryOf(ecosystem, text);
      await expect(inspect(directory)).resolves.toBeUndefined();
      await rm(directory, { recursive: true });
    }
  });
});
