import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localFiles } from './local-files.js';
import { packed } from './pack.js';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-pack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (files: Readonly<Record<string, string | Buffer>>) => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
};
const git = (...args: readonly string[]) => run('git', ['-C', folder, ...args]);
const paths = async () => (await localFiles(folder)).files.map(({ path }) => path);

describe('The files that are deployed', () => {
  it('are those that .gitignore does not exclude, in a folder without a repository', async () => {
    await write({
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'a.js': '',
      'keep.log': '',
      'other.log': '',
      'dist/x': '',
      'sub/.gitignore': 'secret\n',
      'sub/secret': '',
      'sub/b.js': '',
      'node_modules/p/index.js': '',
    });
    expect(await paths()).toEqual(['.gitignore', 'a.js', 'keep.log', 'sub/.gitignore', 'sub/b.js']);
    await expect(stat(join(folder, '.git'))).rejects.toThrow('ENOENT');
  });

  it('are the tracked and the new ones in a repository, as they are on disk', async () => {
    await write({ '.gitignore': 'ignored\n', tracked: 'old', deleted: '', ignored: '', 'größe/日本.txt': '' });
    await git('init', '--quiet');
    await git('add', '-A');
    await git('add', '-f', 'ignored');
    await write({ tracked: 'new', untracked: '' });
    await rm(join(folder, 'deleted'));
    expect(await paths()).toEqual(['.gitignore', 'größe/日本.txt', 'ignored', 'tracked', 'untracked'].sort());
  });

  it('of a folder of a repository are relative to that folder', async () => {
    await write({ 'apps/web/a.js': '', 'apps/other/b.js': '', '.gitignore': '*.log\n', 'apps/web/x.log': '' });
    await git('init', '--quiet');
    const { files } = await localFiles(join(folder, 'apps/web'));
    expect(files.map(({ path }) => path)).toEqual(['a.js']);
  });

  it('are no links that lead out, nor other repositories, and the command says so', async () => {
    await write({ 'a.js': '', 'lib/b.js': '' });
    await symlink('/etc/hostname', join(folder, 'absolute'));
    await symlink('../../x', join(folder, 'lib/out'));
    await symlink('../a.js', join(folder, 'lib/in'));
    await mkdir(join(folder, 'other'));
    await run('git', ['-C', join(folder, 'other'), 'init', '--quiet']);
    await git('init', '--quiet');
    const { files, leftOut } = await localFiles(folder);
    expect(files.map(({ path }) => path)).toEqual(['a.js', 'lib/b.js', 'lib/in']);
    expect(leftOut).toEqual([
      'absolute is left out: it is a link to /etc/hostname, outside the folder.',
      'lib/out is left out: it is a link to ../../x, outside the folder.',
      'other is left out: it is a Git repository of its own.',
    ]);
  });

  it('must be in a folder that exists', async () => {
    await expect(localFiles(join(folder, 'nowhere'))).rejects.toThrow(/There is no folder .*nowhere/);
  });
});

describe('The archive of a folder', () => {
  const unpacked = async (archive: Uint8Array) => {
    const out = await mkdtemp(join(tmpdir(), 'postern-unpacked-'));
    await writeFile(join(out, '.archive'), archive);
    await run('tar', ['-xzf', join(out, '.archive'), '-C', out]);
    return out;
  };

  it('has the same contents, names and links as the folder, and its programs can be run', async () => {
    const long = `${'long/'.repeat(30)}${'n'.repeat(120)}.txt`;
    const large = randomBytes(1_000_003);
    await write({ 'run.sh': '#!/bin/sh', [long]: 'long', 'größe/日本 x.txt': 'text', large, empty: '' });
    await chmod(join(folder, 'run.sh'), 0o700);
    await symlink(long, join(folder, 'link'));
    const out = await unpacked(await packed(folder, (await localFiles(folder)).files));
    expect(await readFile(join(out, long), 'utf8')).toBe('long');
    expect(await readFile(join(out, 'größe/日本 x.txt'), 'utf8')).toBe('text');
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(await readFile(join(out, 'large')))).toBe(digest(large));
    expect((await stat(join(out, 'empty'))).size).toBe(0);
    expect(await readlink(join(out, 'link'))).toBe(long);
    expect((await stat(join(out, 'run.sh'))).mode & 0o111).toBe(0o111);
    expect((await stat(join(out, 'empty'))).mode & 0o111).toBe(0);
    await rm(out, { recursive: true });
  });

  it('that is too large is refused with the largest folders', async () => {
    await write({ 'assets/a': randomBytes(300_000), 'b.js': randomBytes(200_000), small: 'x' });
    const { files } = await localFiles(folder);
    await expect(packed(folder, files, 2 ** 18)).rejects.toThrow(
      'The archive is larger than 0.25 MiB. Largest: assets/ (1 MiB), b.js (1 MiB), small (1 MiB). Add what the build does not need to .gitignore.',
    );
  });

  it('without files is refused', async () => {
    await write({ '.gitignore': '*\n' });
    await expect(packed(folder, (await localFiles(folder)).files)).rejects.toThrow('.gitignore excludes every file');
  });
});
