import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SourceUploads } from '@postern/runtime';
import { BuildsFixture } from './testing/builds-fixture.js';

const run = promisify(execFile);
const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';

describe('A build of an uploaded source', () => {
  let folder: string;
  let fixture: BuildsFixture;
  let archive: Buffer;
  const uploads: SourceUploads = {
    async *read(id) {
      if (id !== ID) return;
      for (let at = 0; at < archive.length; at += 1_000) yield archive.subarray(at, at + 1_000);
    },
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-upload-'));
    fixture = await BuildsFixture.start({ uploads });
  });
  afterEach(async () => {
    await fixture.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const pack = async (files: Readonly<Record<string, string>>, ...options: readonly string[]) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'src', name)), { recursive: true });
      await writeFile(join(folder, 'src', name), text);
    }
    await chmod(join(folder, 'src', Object.keys(files)[0]!), 0o755);
    const path = join(folder, 'source.tar.gz');
    await run('tar', ['-czf', path, ...options, '-C', join(folder, 'src'), '.']);
    archive = await readFile(path);
  };
  const order = async (changes: Parameters<BuildsFixture['order']>[1] = {}) => {
    const digest = createHash('sha256').update(archive).digest('hex');
    const upload = { id: ID, digest, sizeBytes: archive.length };
    return fixture.order({ 'README.md': 'the repository' }, { upload, commit: digest, ...changes });
  };

  it('runs in its files, not in those of the repository', async () => {
    await pack({ 'run.sh': '#!/bin/sh\necho built\n', 'a/größe.txt': 'text' });
    const given = await order({
      buildCommand: './run.sh > out.txt; ls > list.txt; stat -c %u a/* > owner; id -u > user',
    });
    const artefact = await fixture.build(given);
    expect(artefact).toEqual({ reference: given.deploymentId, commit: given.upload!.digest });
    expect(await fixture.read(artefact, 'out.txt')).toBe('built\n');
    expect(await fixture.read(artefact, 'a/größe.txt')).toBe('text');
    expect((await fixture.read(artefact, 'list.txt')).split('\n')).not.toContain('README.md');
    const [owner, user] = [await fixture.read(artefact, 'owner'), await fixture.read(artefact, 'user')];
    expect(owner).toBe(user);
    expect((await fixture.lines())[0]).toBe(`Unpacking the uploaded source: 1 KiB, SHA-256 ${given.upload!.digest}`);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('leaves out links that lead out through other links', async () => {
    await mkdir(join(folder, 'src/a'), { recursive: true });
    await symlink('..', join(folder, 'src/a/up'));
    await symlink('a/up/../../../etc/hostname', join(folder, 'src/stray'));
    await pack({ 'index.html': 'hi' });
    const artefact = await fixture.build(await order());
    await expect(fixture.read(artefact, 'stray')).rejects.toThrow('ENOENT');
    expect(await fixture.lines()).toContain('The link stray points outside the repository: it is left out');
  });

  it('fails if other bytes arrive than were uploaded', async () => {
    await pack({ 'index.html': 'hi' });
    const given = await order();
    archive = Buffer.concat([archive, Buffer.from('x')]);
    await expect(fixture.build(given)).rejects.toThrow('the uploaded source is no longer stored; upload it again');
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('fails if the archive was deleted', async () => {
    await pack({ 'index.html': 'hi' });
    const given = await order();
    const gone = { ...given.upload!, id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e60' };
    await expect(fixture.build({ ...given, upload: gone })).rejects.toThrow('no longer stored');
  });

  it('fails with the words of tar if it cannot be unpacked', async () => {
    archive = Buffer.from('this is no archive');
    await expect(fixture.build(await order())).rejects.toThrow('the uploaded archive could not be unpacked: ');
  });
});
