import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SourceUnavailable } from '@postern/runtime';
import { freePort } from '@postern/testing';
import { startGitHttpServer } from '@postern/testing/git-servers';
import { BuildsFixture } from '../build/testing/builds-fixture.js';

describe('A source', () => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  const resolve = (repositoryUrl: string, branch?: string) => fixture.resolve(repositoryUrl, branch);

  it('is the head commit of its branch', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    await repository.git('checkout', '-q', '-b', 'feature/a-b');
    const commit = await repository.commit({ 'new.txt': 'new' });
    await repository.git('checkout', '-q', 'main');
    expect(await resolve(repository.url, 'feature/a-b')).toEqual({ branch: 'feature/a-b', commit });
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is the default branch if none is given', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository(undefined, { branch: 'trunk' });
    await repository.git('branch', 'other');
    expect(await resolve(repository.url)).toEqual({
      branch: 'trunk',
      commit: await repository.git('rev-parse', 'HEAD'),
    });
  });

  it('may have SHA-256 commit ids', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository(undefined, { format: 'sha256' });
    const commit = await repository.git('rev-parse', 'HEAD');
    expect(commit).toHaveLength(64);
    expect(await resolve(repository.url)).toEqual({ branch: 'main', commit });
    const order = { ...(await fixture.order({})), repositoryUrl: repository.url, commit };
    expect(await fixture.read(await fixture.build(order), 'README.md')).toBe('hello');
  });

  it('is resolved and fetched over HTTP, also a commit that is no longer the head of a branch', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository({ 'a.txt': 'first' });
    const first = await repository.git('rev-parse', 'HEAD');
    await repository.commit({ 'a.txt': 'second' });
    const server = await startGitHttpServer(repository.folder);
    try {
      const { branch } = await resolve(`${server.url}/.git`);
      expect(branch).toBe('main');
      const order = { ...(await fixture.order({})), repositoryUrl: `${server.url}/.git`, commit: first };
      expect(await fixture.read(await fixture.build(order), 'a.txt')).toBe('first');
      await expect(resolve(`${server.url}/none`)).rejects.toThrow(`there is no repository at ${server.url}/none`);
      await expect(resolve(`${server.url}/private`)).rejects.toThrow(
        `the repository ${server.url}/private does not exist or is not public`,
      );
      await expect(resolve(`${server.url}/moved`)).rejects.toBeInstanceOf(SourceUnavailable);
    } finally {
      await server.stop();
    }
  });

  it('is refused with the name of the missing branch', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    await expect(resolve(repository.url, 'nowhere')).rejects.toThrow('the repository has no branch or tag nowhere');
    await expect(resolve(repository.url, 'mai?')).rejects.toThrow('the repository has no branch or tag mai?');
    await expect(resolve(repository.url, 'main')).resolves.toBeDefined();
  });

  it('is refused if the repository is empty, missing, or not a repository', async () => {
    fixture = await BuildsFixture.start();
    const empty = await fixture.repository({});
    await empty.git('update-ref', '-d', 'HEAD');
    await expect(resolve(empty.url)).rejects.toThrow('the repository is empty');
    await expect(resolve('file:///nowhere/at-all')).rejects.toThrow('there is no repository at file:///nowhere/at-all');
    await expect(resolve(`file://${dirname(empty.folder)}`)).rejects.toThrow(
      /is not a Git repository, or the build user/,
    );
  });

  it('is refused if the user of the build may not read the repository', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    await chmod(repository.folder, 0o700);
    const failure = resolve(repository.url);
    await expect(failure).rejects.toThrow(
      `${repository.folder} is not a Git repository, or the build user cannot read it`,
    );
  });

  it('is read from a repository that belongs to another user', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    await repository.git('config', 'core.sshCommand', 'touch /tmp/never');
    await expect(resolve(repository.url)).resolves.toEqual({ branch: 'main', commit: expect.any(String) });
  });

  it('is refused if its server does not respond or does not accept connections', async () => {
    fixture = await BuildsFixture.start({ times: { resolveMs: 700 } });
    const hanging = await listen();
    const port = (hanging.address() as AddressInfo).port;
    try {
      await expect(resolve(`http://ada:hunter22@127.0.0.1:${port}/r.git?token=abc`)).rejects.toThrow(
        `the repository http://127.0.0.1:${port}/r.git did not answer within 0.7 s`,
      );
      expect(await fixture.leftovers()).toEqual([]);
    } finally {
      hanging.close();
    }
    const refused = resolve(`http://127.0.0.1:${await freePort()}/r.git`);
    await expect(refused).rejects.toThrow('127.0.0.1 does not accept connections');
    await expect(resolve('http://does-not-exist.invalid/r.git')).rejects.toThrow(
      'the host name does-not-exist.invalid could not be resolved',
    );
  });

  it('ends when it is cancelled', async () => {
    fixture = await BuildsFixture.start();
    const hanging = await listen();
    const cancel = new AbortController();
    hanging.once('connection', () => cancel.abort(new Error('cancelled')));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/r`;
    await expect(fixture.resolve(url, undefined, cancel.signal)).rejects.toThrow('cancelled');
    hanging.close();
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('runs no program that is named in an address or a branch', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    const trace = join(fixture.home, 'trace');
    await mkdir(trace, { mode: 0o777 });
    await chmod(trace, 0o777);
    await expect(resolve(`ext::touch ${trace}/a`)).rejects.toBeInstanceOf(SourceUnavailable);
    await expect(resolve(`--upload-pack=touch ${trace}/b`)).rejects.toBeInstanceOf(SourceUnavailable);
    await expect(resolve(repository.url, `--upload-pack=touch ${trace}/c`)).rejects.toBeInstanceOf(SourceUnavailable);
    await writeFile(join(trace, 'seen'), '');
    expect(await readdir(trace)).toEqual(['seen']);
  });

  it('fails the build when the commit is gone', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({}, { commit: 'a'.repeat(40) });
    await expect(fixture.build(order)).rejects.toThrow(
      `the commit aaaaaaaaaaaa is no longer in the repository ${order.repositoryUrl}`,
    );
    expect(await fixture.leftovers()).toEqual([]);
  });

  it.each([
    ['absolute', { steal: { link: '/etc/passwd' } }, 'steal'],
    ['relative', { 'a/steal': { link: '../../outside' } }, 'a/steal'],
    ['by way of another link', { 'a/b/up': { link: '../..' }, steal: { link: 'a/b/up/../x' } }, 'steal'],
  ])('is built without a link that points outside it: %s', async (_, files, name) => {
    fixture = await BuildsFixture.start();
    const artefact = await fixture.build(await fixture.order({ ...files, 'other.txt': 'here' }));
    await expect(fixture.read(artefact, name)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await fixture.read(artefact, 'other.txt')).toBe('here');
  });

  it('resolves tags and commit ids as it does branches', async () => {
    fixture = await BuildsFixture.start();
    const repository = await fixture.repository();
    const { commit } = await resolve(repository.url, 'main');
    repository.git('tag', 'v1.0');
    repository.git('tag', '--annotate', '--message', 'first', 'v1.1');
    for (const name of ['v1.0', 'v1.1', commit])
      expect(await resolve(repository.url, name)).toEqual({ branch: name, commit });
  });

  it('may contain links to its own files', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'a/text': 'here', link: { link: 'a/./text' }, none: { link: 'a/none' } });
    expect(await fixture.read(await fixture.build(order), 'link')).toBe('here');
  });

  it('is fetched without Git LFS files, which stay pointers, and without the .git folder', async () => {
    fixture = await BuildsFixture.start();
    const pointer = 'version https://git-lfs.github.com/spec/v1\n';
    const artefact = await fixture.build(
      await fixture.order({ '.gitattributes': '* filter=lfs\n', 'big.bin': pointer }),
    );
    expect(await fixture.read(artefact, 'big.bin')).toMatch(/git-lfs/);
    await expect(fixture.read(artefact, '.git/config')).rejects.toThrow('ENOENT');
    expect(await fixture.lines()).toContain(
      '.gitattributes found: files of Git LFS (*) are not fetched and stay pointers',
    );
  });
});

/** Accepts connections and never responds. */
const listen = async (): Promise<Server> => {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const close = server.close.bind(server);
  server.close = callback => {
    for (const socket of sockets) socket.destroy();
    return close(callback);
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
};
