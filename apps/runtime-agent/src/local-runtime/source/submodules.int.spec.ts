import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BuildOrder } from '@postern/runtime';
import type { Files, GitRepository } from '@postern/runtime/testing';
import { startDnsServer, type TestDns } from '@postern/testing';
import { type BasicAccess, type GitHttpServer, startGitHttpServer } from '@postern/testing/git-servers';
import { guardWithDns } from '../../infrastructure/git/testing/hostile-dns.js';
import type { FixtureOptions } from '../build/testing/assemble-for-tests.js';
import { BuildsFixture } from '../build/testing/builds-fixture.js';

interface Module {
  readonly path: string;
  readonly url: string;
  /** Absent if only `.gitmodules` lists it. */
  readonly commit?: string;
}

const TOKEN = 'token-of-the-repository';

describe('A submodule', () => {
  let fixture: BuildsFixture;
  let dns: TestDns;
  const servers: GitHttpServer[] = [];

  beforeEach(async () => {
    dns = await startDnsServer();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await dns.stop();
    await fixture.stop();
  });

  const start = async (options: FixtureOptions = {}): Promise<void> => {
    fixture = await BuildsFixture.start(options);
  };

  /** Serves the folder that contains all repositories of the test. */
  const serve = async (repository: GitRepository, access?: BasicAccess): Promise<GitHttpServer> => {
    const server = await startGitHttpServer(dirname(repository.folder), access && { access });
    servers.push(server);
    return server;
  };
  const pathOf = (repository: GitRepository): string => `${basename(repository.folder)}/.git`;

  const withModules = async (modules: readonly Module[], files: Files = {}): Promise<GitRepository> => {
    const repository = await fixture.repository(files);
    await addModules(repository, modules);
    return repository;
  };

  const built = async (repository: GitRepository, url: string, changes: Partial<BuildOrder> = {}) => {
    const commit = await repository.git('rev-parse', 'HEAD');
    const order = { ...(await fixture.order({})), repositoryUrl: url, commit, ...changes };
    const artefact = await fixture.build(order);
    const lines = (await fixture.lines()).filter(line => line.startsWith('.gitmodules'));
    return { read: (name: string) => fixture.read(artefact, name), path: fixture.pathIn(artefact, '.'), lines };
  };

  it('is fetched at its commit, with its own submodules, also from a relative address', async () => {
    await start();
    const colours = await fixture.repository({ 'colours.txt': 'red' });
    const [red] = [await colours.git('rev-parse', 'HEAD'), await colours.commit({ 'colours.txt': 'green' })];
    const server = await serve(colours);
    const theme = await withModules([{ path: 'lib/colours', url: `../../${pathOf(colours)}`, commit: red }]);
    const at = await theme.git('rev-parse', 'HEAD');
    const site = await withModules([{ path: 'themes/plain', url: `${server.url}/${pathOf(theme)}`, commit: at }]);
    const { read, path, lines } = await built(site, `${server.url}/${pathOf(site)}`);
    expect(await read('themes/plain/lib/colours/colours.txt')).toBe('red');
    const fetched = '.gitmodules found: the submodule themes/plain';
    expect(lines).toEqual([
      `${fetched} is fetched from ${server.url}/${pathOf(theme)} at ${at}`,
      `${fetched}/lib/colours is fetched from ${server.url}/${pathOf(colours)} at ${red}`,
    ]);
    for (const folder of ['themes/plain', 'themes/plain/lib/colours'])
      expect(existsSync(`${path}/${folder}/.git`)).toBe(false);
  }, 120_000);

  it('is fetched with the token of the repository from the same server, and from no other', async () => {
    await start();
    const library = await fixture.repository({ 'a.txt': 'private' });
    const commit = await library.git('rev-parse', 'HEAD');
    const own = await serve(library, { username: 'deploy', password: TOKEN });
    const other = await serve(library, { username: 'deploy', password: TOKEN });
    const site = await withModules([
      { path: 'own', url: `../../${pathOf(library)}`, commit },
      { path: 'other', url: `${other.url}/${pathOf(library)}`, commit },
    ]);
    const credentials = { https: { username: 'deploy', token: TOKEN } };
    const { read, path, lines } = await built(site, `${own.url}/${pathOf(site)}`, { credentials });
    expect(await read('own/a.txt')).toBe('private');
    expect(existsSync(`${path}/other/a.txt`)).toBe(false);
    expect(lines[1]).toMatch(
      /^\.gitmodules found: the submodule other is not fetched: the repository .* does not exist or is not public/,
    );
    expect(other.requests).not.toEqual([]);
    expect(other.authorizations).toEqual([]);
  }, 120_000);

  it('at an invalid or unsupported address is not fetched', async () => {
    await start();
    const pwned = '/tmp/postern-submodule-ran';
    const reasons = [
      ['file:///etc', 'submodules are fetched over https://'],
      ['/etc/.git', 'submodules are fetched over https://'],
      [`ext::touch% ${pwned}`, 'its address is not valid'],
      [`ext::touch$IFS${pwned}`, 'submodules are fetched over https://'],
      [`--upload-pack=touch$IFS${pwned}`, 'submodules are fetched over https://'],
      [`ssh://-oProxyCommand=touch$IFS${pwned}/x`, 'the deploy key of the repository is not sent to another server'],
      ['../../../../x', 'its address leads above the host'],
    ] as const;
    const commit = 'a'.repeat(40);
    const modules = reasons.map(([url], at) => ({ path: `m${at}`, url, commit }));
    const site = await withModules(modules, { 'a.txt': 'kept' });
    const server = await serve(site);
    const { read, lines } = await built(site, `${server.url}/${pathOf(site)}`);
    expect(await read('a.txt')).toBe('kept');
    const line = (path: string, reason: string) => `the submodule ${path} is not fetched: ${reason}`;
    expect(lines).toEqual(reasons.map(([, reason], at) => expect.stringContaining(line(`m${at}`, reason))));
    expect(existsSync(pwned)).toBe(false);
  }, 240_000);

  it('without a commit, or with a path outside the repository, changes no file', async () => {
    await start();
    const library = await fixture.repository({ hooks: 'stolen' });
    const server = await serve(library);
    const url = `${server.url}/${pathOf(library)}`;
    const paths = ['src', '../outside', '.git/hooks', '-u', 'link/x', '.GIT'];
    const files = { 'src/a.txt': 'kept', link: { link: 'src' } };
    const site = await withModules(
      paths.map(path => ({ path, url })),
      files,
    );
    const { read, lines } = await built(site, `${server.url}/${pathOf(site)}`);
    expect(await read('src/a.txt')).toBe('kept');
    expect(lines).toHaveLength(paths.length);
    for (const line of lines)
      expect(line).toMatch(/not contain a commit for it|does not name a folder of the repository/);
  }, 120_000);

  it('at a private address gets no request, and the error does not reveal what responds there', async () => {
    await start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    dns.setRecords('public.test', 'A', ['127.0.0.1']);
    dns.setRecords('inner.test', 'A', ['127.0.0.2']);
    const library = await fixture.repository();
    const commit = await library.git('rev-parse', 'HEAD');
    const server = await serve(library);
    const { port } = new URL(server.url);
    const site = await withModules([
      { path: 'open', url: `../../${pathOf(library)}`, commit },
      { path: 'inner', url: `http://inner.test:${port}/${pathOf(library)}`, commit },
      { path: 'metadata', url: 'http://169.254.169.254/latest', commit },
    ]);
    const { lines } = await built(site, `http://public.test:${port}/${pathOf(site)}`);
    expect(lines).toEqual([
      expect.stringContaining('the submodule open is fetched'),
      expect.stringMatching(/inner is not fetched: the repository .* could not be fetched: check its address/),
      expect.stringMatching(/metadata is not fetched: the repository .* could not be fetched: check its address/),
    ]);
  }, 120_000);

  it('is fetched up to three levels deep, and up to thirty in total', async () => {
    await start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    dns.setRecords('public.test', 'A', ['127.0.0.1']);
    const site = await fixture.repository();
    const server = await serve(site);
    const url = `http://public.test:${new URL(server.url).port}/${pathOf(site)}`;
    for (let level = 0; level < 4; level += 1)
      await addModules(site, [{ path: 'again', url, commit: await site.git('rev-parse', 'HEAD') }]);
    const deep = (await built(site, url)).lines;
    expect(deep).toHaveLength(4);
    expect(deep[3]).toContain('again/again/again/again is not fetched: submodules are fetched at most 3 levels deep');

    const closed = { url: 'http://127.0.0.3/x', commit: 'a'.repeat(40) };
    const wide = await withModules(Array.from({ length: 31 }, (_, at) => ({ path: `m${at}`, ...closed })));
    const { lines } = await built(wide, `http://public.test:${new URL(server.url).port}/${pathOf(wide)}`);
    expect(lines.filter(line => line.includes('could not be fetched'))).toHaveLength(30);
    expect(lines.at(-1)).toContain('at most 30 submodules are fetched');
  }, 120_000);
});

/** Adds submodules as `git submodule add` does, also those that git refuses. */
const addModules = async (repository: GitRepository, modules: readonly Module[]): Promise<void> => {
  const sections = modules.map(({ path, url }, at) => `[submodule "m${at}"]\n\tpath = ${path}\n\turl = ${url}\n`);
  await repository.commit({ '.gitmodules': sections.join('') });
  for (const { path, commit } of modules)
    if (commit) await repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  await repository.git('commit', '--quiet', '--allow-empty', '--message', 'with submodules');
};
