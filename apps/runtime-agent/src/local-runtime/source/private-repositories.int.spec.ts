import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import type { BuildOrder, ResolvedSource, SourceCredentials } from '@postern/runtime';
import { createCertificates, startDnsServer, type TestDns } from '@postern/testing';
import {
  type GitHttpServer,
  type GitSshServer,
  newKeyPair,
  startGitHttpServer,
  startGitSshServer,
} from '@postern/testing/git-servers';
import { guardWithDns } from '../../infrastructure/git/testing/hostile-dns.js';
import { BuildsFixture } from '../build/testing/builds-fixture.js';

const TOKEN = 'glpat-Zx81-secret_of/the+owner';
/** Prints everything that a build can see of its environment, processes, files and git. */
const SPY = `env; git remote -v; git config --list --show-origin; cat .git/config; ls -laR .git | head -50;
cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; ls -laR "$HOME" /tmp 2>/dev/null; exit 0`;

describe('A private repository', () => {
  let fixture: BuildsFixture;
  const stops: (() => Promise<unknown>)[] = [];
  /** The command lines and environments of all processes, captured whenever git had sent its token. */
  let processes: string[];

  beforeEach(async () => {
    processes = [];
    fixture = await BuildsFixture.start();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await fixture.stop();
  });

  const resolve = (repositoryUrl: string, credentials?: SourceCredentials): Promise<ResolvedSource> =>
    fixture.resolve(repositoryUrl, undefined, undefined, credentials);
  const build = async (changes: Partial<BuildOrder>) =>
    fixture.build({ ...(await fixture.order({})), buildCommand: SPY, ...changes });
  const everythingShown = async () =>
    `${(await fixture.lines()).join('\n')}\n${await filesBelow(join(fixture.home, 'artefacts'))}`;

  const overHttp = async () => {
    const repository = await fixture.repository({ 'a.txt': 'private' });
    const access = { username: 'deploy', password: TOKEN, onEntry: () => processes.push(shownByProcesses()) };
    const server = await startGitHttpServer(repository.folder, { access });
    stops.push(() => server.stop());
    return { server, repositoryUrl: `${server.url}/.git`, https: { username: 'deploy', token: TOKEN } };
  };

  const overSsh = async () => {
    const repository = await fixture.repository({ 'a.txt': 'private' });
    const [key, hostKey] = [newKeyPair(), newKeyPair()];
    const server = await startGitSshServer({ root: repository.folder, authorized: key.publicKey, hostKey });
    stops.push(() => server.stop());
    return { server, repository, hostKey, key, repositoryUrl: `ssh://git@127.0.0.1:${server.port}/.git` };
  };

  it('over HTTP is resolved and built with the token, which the build does not see', async () => {
    const { server, repositoryUrl, https } = await overHttp();
    const { commit } = await resolve(repositoryUrl, { https });
    const artefact = await build({ repositoryUrl, commit, credentials: { https } });
    expect(await fixture.read(artefact, 'a.txt')).toBe('private');
    expect(server.authorizations).not.toEqual([]);
    const shown = await everythingShown();
    expect(shown).toContain('POSTERN_BUILD');
    expect(processes.join('\n')).toContain('git-remote-http');
    for (const form of [TOKEN, Buffer.from(`deploy:${TOKEN}`).toString('base64')])
      for (const text of [shown, ...processes]) expect(text).not.toContain(form);
    expect(shown).not.toMatch(/git-access|git-token/);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('over SSH is resolved and built with the deploy key, which the build does not see', async () => {
    const { server, repositoryUrl, key } = await overSsh();
    const { commit, hostKeys } = await resolve(repositoryUrl, { ssh: { privateKey: key.privateKey } });
    const ssh = { privateKey: key.privateKey, knownHosts: hostKeys };
    const artefact = await build({ repositoryUrl, commit, credentials: { ssh } });
    expect(await fixture.read(artefact, 'a.txt')).toBe('private');
    expect(server.commands).toEqual(["git-upload-pack '/.git'", "git-upload-pack '/.git'"]);
    const shown = await everythingShown();
    for (const line of key.privateKey.trim().split('\n')) expect(shown).not.toContain(line);
    expect(shown).not.toContain('ssh-key');
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is refused with the name of the missing credential: a token, or a deploy key', async () => {
    const { repositoryUrl } = await overHttp();
    await expect(resolve(repositoryUrl)).rejects.toThrow(
      `the repository ${repositoryUrl} does not exist or is not public: if it is private, store an access token`,
    );
    await expect(resolve('git@git.example.com:ada/engine.git')).rejects.toThrow(
      'the repository git@git.example.com:ada/engine.git needs a deploy key: create one for the web service',
    );
  });

  it('is refused for a wrong token or key, and the error contains neither', async () => {
    const { repositoryUrl } = await overHttp();
    const wrong = { https: { username: 'deploy', token: 'guessed-token' } };
    const failure = await resolve(repositoryUrl, wrong).catch(String);
    expect(failure).toBe(
      `SourceUnavailable: the access token was refused for the repository ${repositoryUrl}: check that it is valid and may read the repository`,
    );
    const ssh = await overSsh();
    await expect(resolve(ssh.repositoryUrl, { ssh: { privateKey: newKeyPair().privateKey } })).rejects.toThrow(
      `the deploy key was refused for the repository ssh://127.0.0.1:${ssh.server.port}/.git: add its public key`,
    );
  });

  it('is trusted by the first host key of its server, and by no other', async () => {
    const { server, repository, repositoryUrl, key, hostKey } = await overSsh();
    const { hostKeys, commit } = await resolve(repositoryUrl, { ssh: { privateKey: key.privateKey } });
    const [type, encoded] = hostKey.publicKey.split(' ');
    expect(hostKeys).toBe(`[127.0.0.1]:${server.port} ${type} ${encoded}\n`);
    const credentials = { ssh: { privateKey: key.privateKey, knownHosts: hostKeys } };
    expect(await resolve(repositoryUrl, credentials)).toEqual({ branch: 'main', commit });

    await server.stop();
    const options = { root: repository.folder, authorized: key.publicKey, hostKey: newKeyPair(), port: server.port };
    const other: GitSshServer = await startGitSshServer(options);
    stops[stops.length - 1] = () => other.stop();
    await expect(resolve(repositoryUrl, credentials)).rejects.toThrow('the host key of 127.0.0.1 has changed');
    expect(other.commands).toEqual([]);
  });
});

describe('A private repository over HTTPS', () => {
  let fixture: BuildsFixture;
  let server: GitHttpServer;
  const certificates = createCertificates('IP:127.0.0.1');
  const https = { username: 'deploy', token: TOKEN };

  const start = async (trusted: Readonly<Record<string, string>>): Promise<string> => {
    fixture = await BuildsFixture.start({ variables: { ...process.env, SSL_CERT_FILE: undefined, ...trusted } });
    const repository = await fixture.repository({ 'a.txt': 'private' });
    const [cert, key] = [certificates.server.cert, certificates.server.key].map(path => readFileSync(path, 'utf8'));
    server = await startGitHttpServer(repository.folder, {
      access: { username: 'deploy', password: TOKEN },
      tls: { cert: cert!, key: key! },
    });
    return `${server.url}/.git`;
  };
  afterEach(async () => {
    await server.stop();
    await fixture.stop();
  });

  it('is built with the token if the operator trusts the certificate authority of its server', async () => {
    const repositoryUrl = await start({ SSL_CERT_FILE: certificates.ca });
    const credentials = { https };
    const { commit } = await fixture.resolve(repositoryUrl, undefined, undefined, credentials);
    const order = { ...(await fixture.order({})), repositoryUrl, commit, credentials };
    expect(await fixture.read(await fixture.build(order), 'a.txt')).toBe('private');
    const guessed = { https: { ...https, token: 'guessed-token' } };
    await expect(fixture.resolve(repositoryUrl, undefined, undefined, guessed)).rejects.toThrow(
      `the access token was refused for the repository ${repositoryUrl}`,
    );
  });

  it('is refused if its certificate is from an unknown authority, before the token is sent', async () => {
    const repositoryUrl = await start({});
    await expect(fixture.resolve(repositoryUrl, undefined, undefined, { https })).rejects.toThrow(
      'the certificate of 127.0.0.1 is not trusted: use a certificate of a public authority, or ask the operator to add the authority to the file in SSL_CERT_FILE',
    );
    expect(server.requests).toEqual([]);
  });
});

describe('A token', () => {
  let fixture: BuildsFixture;
  let dns: TestDns;
  beforeEach(async () => {
    dns = await startDnsServer();
  });
  afterEach(async () => {
    await dns.stop();
    await fixture.stop();
  });

  it('is not sent over unencrypted HTTP if only public servers are allowed', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    const repository = await fixture.repository();
    const server = await startGitHttpServer(repository.folder);
    dns.setRecords('public.test', 'A', ['127.0.0.1']);
    const url = `http://public.test:${new URL(server.url).port}/.git`;
    const resolving = fixture.resolve(url, undefined, undefined, { https: { username: 'x', token: TOKEN } });
    await expect(resolving).rejects.toThrow('the access token is not sent unencrypted: change the address to https://');
    expect(server.requests).toEqual([]);
    await server.stop();
  });

  it('is not sent to a server that the repository redirects to', async () => {
    fixture = await BuildsFixture.start({ guard: new OutboundGuard({ allowPrivate: true }) });
    const repository = await fixture.repository();
    const server = await startGitHttpServer(repository.folder);
    const url = `${server.url}/moved`;
    await expect(
      fixture.resolve(url, undefined, undefined, { https: { username: 'x', token: TOKEN } }),
    ).rejects.toThrow('leads to another address');
    expect(server.authorizations).toEqual([]);
    await server.stop();
  });
});

const shownByProcesses = (): string =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => ['cmdline', 'environ'].map(file => join('/proc', pid, file)))
    .map(path => {
      try {
        return readFileSync(path, 'latin1');
      } catch {
        return '';
      }
    })
    .join('\n');

const filesBelow = async (folder: string): Promise<string> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map(file => readFile(file, 'latin1')))).join('\n');
};
