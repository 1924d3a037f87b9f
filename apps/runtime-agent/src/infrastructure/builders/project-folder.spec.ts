import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectIn } from './project.js';
import { enterProjectFolder, planFor, projectFolder } from './project-folder.js';
import { machineWith } from './testing/machine-with.js';

const HERE = machineWith('node', 'hugo');
const SITE = { 'blog/hugo.toml': '', 'blog/content/post.md': '# x' };

describe('The folder of a project', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'postern-folder-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
  };

  it.each<readonly [string, Readonly<Record<string, string>>, string | undefined]>([
    ['is the only one with a project', { ...SITE, Dockerfile: '', 'images/x.svg': '' }, 'blog'],
    ['is the root folder if it contains a project', { ...SITE, 'package.json': '{}' }, undefined],
    ['is the root folder if it contains a Procfile', { ...SITE, Procfile: 'web: ./serve' }, undefined],
    ['is the root folder if it is a site', { ...SITE, 'index.html': '' }, undefined],
    ['is the root folder if no folder contains a project', { 'docs/README.md': '' }, undefined],
    [
      'is never a folder of packages, tests or hidden files',
      { 'node_modules/package.json': '{}', '.x/go.mod': '' },
      undefined,
    ],
    [
      'can be a folder with a broken project, so that the builder reports the reason',
      { 'shop/package.json': '{' },
      'shop',
    ],
  ])('%s', async (_, files, folder) => {
    await write(files);
    expect(await projectFolder(root, HERE)).toBe(folder);
  });

  it('becomes the root folder, also if it contains a file or folder of its own name', async () => {
    await write({ 'blog/hugo.toml': '', 'blog/content/x.md': '', 'blog/blog': 'inner', '.gitignore': '', 'a/b': '' });
    const lines: string[] = [];
    const given = { hasStartCommand: false };
    expect(await enterProjectFolder(root, HERE, given, line => lines.push(line))).toEqual({ entered: 'blog' });
    expect((await readdir(root)).sort()).toEqual(['blog', 'content', 'hugo.toml']);
    expect(await readFile(join(root, 'blog'), 'utf8')).toBe('inner');
    expect(lines).toEqual(['blog holds the only project of the repository: it is built and started in blog']);
  });

  it.each([
    { buildCommand: 'make', hasStartCommand: false },
    { buildCommand: undefined, hasStartCommand: true },
  ])('stays the root folder if the settings are %j', async given => {
    await write(SITE);
    expect(await enterProjectFolder(root, HERE, given, () => {})).toEqual({});
    expect(await readdir(root)).toEqual(['blog']);
  });

  const entering = (rootDirectory: string, given: object = {}) =>
    enterProjectFolder(root, HERE, { rootDirectory, hasStartCommand: false, ...given }, () => {});

  it.each([{}, { buildCommand: 'make' }, { hasStartCommand: true }])(
    'is the root directory of the settings, also with the settings %j',
    async given => {
      await write({ ...SITE, 'shop/hugo.toml': '', 'shop/in/x': '' });
      expect(await entering('shop', given)).toEqual({ entered: 'shop' });
      expect((await readdir(root)).sort()).toEqual(['hugo.toml', 'in']);
    },
  );

  it('can be nested', async () => {
    await write({ 'services/api/Procfile': 'web: x' });
    await entering('services/api');
    expect(await readdir(root)).toEqual(['Procfile']);
  });

  it('must exist in the commit, as a folder that is reached without links', async () => {
    await write({ 'apps/web/x': '' });
    await symlink('apps', join(root, 'link'));
    await expect(entering('apps/shop')).rejects.toThrow(
      'root_directory: the repository has no folder apps/shop in this commit',
    );
    await expect(entering('apps/web/x')).rejects.toThrow('root_directory: apps/web/x is a file, not a folder');
    await expect(entering('link/web')).rejects.toThrow('root_directory: link is a link, not a folder');
  });

  const WORKSPACES = {
    'package.json': JSON.stringify({ workspaces: ['apps/*', 'packages/*'] }),
    'apps/web/package.json': JSON.stringify({
      name: 'web',
      scripts: { build: 'x', start: 'node .' },
      dependencies: { ui: '*' },
    }),
    'packages/ui/package.json': JSON.stringify({ name: 'ui', scripts: { build: 'x' }, dependencies: { base: '1' } }),
    'packages/base/package.json': JSON.stringify({ name: 'base', scripts: { build: 'x' } }),
    'packages/other/package.json': JSON.stringify({ name: 'other', scripts: { build: 'x' } }),
  };
  const planIn = async (given: { readonly rootDirectory?: string; readonly hasStartCommand?: boolean }) =>
    planFor(root, await enterProjectFolder(root, HERE, { hasStartCommand: false, ...given }, () => {}), HERE);

  it.each([{ rootDirectory: 'apps/web' }, {}])(
    'stays in the repository if it is a workspace that the settings %j determine',
    async given => {
      await write(WORKSPACES);
      expect(await planIn(given)).toMatchObject({
        folder: 'apps/web',
        command:
          "npm install && (cd 'packages/base' && npm run build) && (cd 'packages/ui' && npm run build) && (cd 'apps/web' && npm run build)",
      });
    },
  );

  it.each([
    ['turbo', 'turbo.json', "npm install && node_modules/.bin/turbo run build --filter='./apps/web'"],
    ['nx', 'nx.json', "npm install && node_modules/.bin/nx run-many --target=build --projects='web'"],
  ])('is built by %s in a repository with %s', async (tool, configuration, command) => {
    const manifest = { workspaces: { packages: ['apps/*'] }, devDependencies: { [tool]: '1' } };
    await write({ ...WORKSPACES, [configuration]: '{}', 'package.json': JSON.stringify(manifest) });
    expect(await planIn({ rootDirectory: 'apps/web' })).toMatchObject({ command });
  });

  it('is a workspace of pnpm by pnpm-workspace.yaml', async () => {
    const files = { 'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n", 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" };
    await write({ ...WORKSPACES, ...files, 'package.json': '{}' });
    const { command } = await planIn({ rootDirectory: 'apps/web' });
    expect(command).toMatch(/pnpm install --frozen-lockfile && \(cd 'apps\/web' && .* pnpm run build\)$/);
  });

  it('that is a project of Nx starts what Nx has built', async () => {
    await write({
      'nx.json': '{}',
      'package.json': '{"devDependencies": {"nx": "1"}}',
      'apps/api/project.json': '{"name": "the-api"}',
    });
    const plan = await planIn({ rootDirectory: 'apps/api' });
    expect(plan.command).toContain("--projects='the-api'");
    await write({ 'dist/apps/api/main.js': '' });
    expect(await plan.start?.(projectIn(join(root, 'apps/api')))).toEqual({
      kind: 'command',
      command: "node '../../dist/apps/api/main.js'",
    });
  });

  it('without its Dockerfile is a workspace, and with it an image of its own', async () => {
    await write({ ...WORKSPACES, 'apps/web/Dockerfile': 'FROM x' });
    expect(await entering('apps/web')).toEqual({ entered: 'apps/web' });
    expect((await readdir(root)).sort()).toEqual(['Dockerfile', 'package.json']);
  });
});
