import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { enterProjectFolder, projectFolder } from './project-folder.js';
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
    expect(await enterProjectFolder(root, HERE, given, line => lines.push(line))).toBe('blog');
    expect((await readdir(root)).sort()).toEqual(['blog', 'content', 'hugo.toml']);
    expect(await readFile(join(root, 'blog'), 'utf8')).toBe('inner');
    expect(lines).toEqual(['blog holds the only project of the repository: it is built and started in blog']);
  });

  it.each([
    { buildCommand: 'make', hasStartCommand: false },
    { buildCommand: undefined, hasStartCommand: true },
  ])('stays the root folder if the settings are %j', async given => {
    await write(SITE);
    expect(await enterProjectFolder(root, HERE, given, () => {})).toBeUndefined();
    expect(await readdir(root)).toEqual(['blog']);
  });
});
