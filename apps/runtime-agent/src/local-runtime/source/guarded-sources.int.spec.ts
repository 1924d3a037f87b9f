import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import { freePort, startDnsServer, type TestDns } from '@postern/testing';
import { newKeyPair, startGitHttpServer } from '@postern/testing/git-servers';
import { guardWithDns } from '../../infrastructure/git/testing/hostile-dns.js';
import { BuildsFixture } from '../build/testing/builds-fixture.js';

const PUBLIC = '93.184.215.14';

describe('A repository of an attacker', () => {
  let fixture: BuildsFixture;
  let dns: TestDns;
  /** A server in the private network, and the paths that were requested from it. */
  let inner: Server;
  let requested: string[];

  beforeEach(async () => {
    dns = await startDnsServer();
    requested = [];
    inner = createServer((request, response) => {
      requested.push(request.url ?? '');
      response.end('role: admin');
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
  });

  afterEach(async () => {
    inner.closeAllConnections();
    inner.close();
    await dns.stop();
    await fixture.stop();
  });

  const portOf = (server: { address(): unknown } = inner) => (server.address() as AddressInfo).port;
  const errorOf = (url: string): Promise<string> =>
    fixture.resolve(url).then(
      () => 'no error',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it('that redirects to the private network is not followed', async () => {
    fixture = await BuildsFixture.start({ guard: new OutboundGuard({ allowPrivate: true }) });
    const target = `http://127.0.0.1:${portOf()}/latest/meta-data/iam/security-credentials/`;
    const redirecting = createServer((_, response) => response.writeHead(302, { location: target }).end());
    redirecting.listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const url = `http://127.0.0.1:${portOf(redirecting)}/redir`;
    expect(await errorOf(url)).toBe(
      `SourceUnavailable: the repository ${url} leads to another address; enter that address instead`,
    );
    expect(requested).toEqual([]);
    redirecting.closeAllConnections();
    redirecting.close();
  });

  it.each([
    'http://127.0.0.1:PORT/x',
    'http://2130706433:PORT/x',
    'http://0x7f000001:PORT/x',
    'http://0177.0.0.1:PORT/x',
    'http://127.1:PORT/x',
    'http://[::1]:PORT/x',
    'http://[::ffff:127.0.0.1]:PORT/x',
    'http://[::127.0.0.1]:PORT/x',
    'http://93.184.215.14@127.0.0.1:PORT/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/machine',
    'http://100.100.100.200/latest/',
    'https://localhost:PORT/x',
    'ssh://git@127.0.0.1:PORT/x',
    'ssh://git@0x7f.1:PORT/x',
    'ssh://git@[::1]:PORT/x',
    'ssh://git@127%2e0.0.1:PORT/x',
    'git@localhost:x',
    'git@[::1]:x',
  ])('at %s gets no connection', async template => {
    fixture = await BuildsFixture.start({ guard: new OutboundGuard({ allowPrivate: false }) });
    let connections = 0;
    inner.on('connection', () => {
      connections += 1;
    });
    const url = template.replace('PORT', String(portOf()));
    expect(await errorOf(url)).toMatch(/^SourceUnavailable: the repository .* could not be fetched: check its address/);
    expect(connections).toBe(0);
  });

  it('does not reveal what responds in the private network', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address) });
    dns.setRecords('http.test', 'A', ['127.0.0.1']);
    dns.setRecords('closed.test', 'A', ['127.0.0.1']);
    dns.failWith('broken.test', 'SERVFAIL');
    const urls = [
      `http://http.test:${portOf()}/x`,
      `http://closed.test:${await freePort()}/x`,
      'http://unknown.test/x',
      'http://broken.test/x',
      'ssh://http.test/x',
    ];
    const errors = await Promise.all(urls.map(async url => (await errorOf(url)).replace(url, 'URL')));
    expect(new Set(errors)).toEqual(
      new Set([
        'SourceUnavailable: the repository URL could not be fetched: check its address, and that it can be reached over the internet',
      ]),
    );
    expect(requested).toEqual([]);
  });

  it('whose host name resolves to a private address later is not fetched from there', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address) });
    dns.rebind('rebind.test', [PUBLIC, '127.0.0.1']);
    const cancelled = AbortSignal.timeout(1_000);
    const url = `http://rebind.test:${portOf()}/x`;
    await expect(fixture.resolve(url, undefined, cancelled)).rejects.toThrow();
    await expect(fixture.build(await fixture.order({}, { repositoryUrl: url }))).rejects.toThrow(
      'could not be fetched',
    );
    expect(dns.queries.filter(({ name }) => name === 'rebind.test')).toHaveLength(2);
    expect(requested).toEqual([]);
  });
});

describe('Git', () => {
  let fixture: BuildsFixture;
  let dns: TestDns;
  beforeEach(async () => {
    dns = await startDnsServer();
  });
  afterEach(async () => {
    await dns.stop();
    await fixture.stop();
  });

  it('connects over HTTP to the checked address and does not resolve the host again', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    const repository = await fixture.repository({ 'a.txt': 'pinned' });
    const server = await startGitHttpServer(repository.folder);
    // Only the test DNS server resolves this name.
    dns.rebind('pinned.test', ['127.0.0.1']);
    const repositoryUrl = `http://PINNED.test.:${new URL(server.url).port}/.git`;
    try {
      const { commit } = await fixture.resolve(repositoryUrl);
      expect(commit).toBe(await repository.git('rev-parse', 'HEAD'));
      const order = { ...(await fixture.order({})), repositoryUrl, commit };
      expect(await fixture.read(await fixture.build(order), 'a.txt')).toBe('pinned');
      expect(dns.queries.filter(({ type }) => type === 'A')).toHaveLength(2);
    } finally {
      await server.stop();
    }
  });

  it('passes on the errors of a Git server at a public address', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    const repository = await fixture.repository();
    const server = await startGitHttpServer(repository.folder);
    dns.setRecords('pinned.test', 'A', ['127.0.0.1']);
    const base = `http://pinned.test:${new URL(server.url).port}`;
    try {
      await expect(fixture.resolve(`${base}/none`)).rejects.toThrow(`there is no repository at ${base}/none`);
      await expect(fixture.resolve(`${base}/private`)).rejects.toThrow('does not exist or is not public');
      await expect(fixture.resolve(`${base}/.git`, 'x')).rejects.toThrow('the repository has no branch or tag x');
    } finally {
      await server.stop();
    }
  });

  it('connects over SSH to the checked address and does not resolve the host again', async () => {
    fixture = await BuildsFixture.start({ guard: guardWithDns(dns.address, ['127.0.0.1']) });
    dns.setRecords('pinned.test', 'A', ['127.0.0.1']);
    const greeting = Promise.withResolvers<string>();
    const server: TcpServer = createTcpServer(socket => {
      socket.on('error', () => {});
      socket.once('data', data => {
        greeting.resolve(data.toString('latin1'));
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const credentials = { ssh: { privateKey: newKeyPair().privateKey } };
    const resolving = fixture.resolve(`ssh://git@pinned.test:${port}/x`, undefined, undefined, credentials);
    await expect(resolving).rejects.toThrow('could not be fetched');
    expect(await greeting.promise).toMatch(/^SSH-2\.0-/);
    server.close();
  });
});
