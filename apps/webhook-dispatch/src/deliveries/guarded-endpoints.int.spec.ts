import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HostResolver, OutboundGuard } from '@postern/outbound';
import { startDnsServer, type TestDns } from '@postern/testing';
import { WebhookUrls } from '../webhooks/webhook-urls.js';
import { HttpEndpointClient } from './http-endpoint-client.js';

const PUBLIC = '93.184.215.14';

describe('a webhook of an attacker', () => {
  let dns: TestDns;
  let inner: Server;
  let requests: string[];
  let client: HttpEndpointClient;
  let urls: WebhookUrls;

  beforeEach(async () => {
    dns = await startDnsServer();
    requests = [];
    inner = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(302, { location: '/latest/meta-data/' }).end();
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const resolver = new Resolver();
    resolver.setServers([dns.address]);
    const resolve = async (hostname: string) =>
      (await resolver.resolve4(hostname)).map(address => ({ address, family: 4 }));
    const guard = new OutboundGuard({ allowPrivate: false, resolve });
    client = new HttpEndpointClient(guard, 2_000);
    urls = new WebhookUrls(guard);
  });

  afterEach(async () => {
    await client.onModuleDestroy();
    inner.closeAllConnections();
    inner.close();
    await dns.stop();
  });

  const send = (url: string, by = client) =>
    by.send({ url, body: '{}', secret: 's', timestampS: 1, previousAttempts: 0, traceparent: undefined });

  const portOf = () => (inner.address() as AddressInfo).port;

  it('whose host is public when it is created and private when it is called receives nothing', async () => {
    dns.rebind('rebind.test', [PUBLIC, '127.0.0.1']);
    expect(await urls.accept('https://rebind.test/hook')).toBe('https://rebind.test/hook');
    expect(await send(`http://rebind.test:${portOf()}/hook`)).toMatchObject({
      error: 'rebind.test is not a host with a public address',
    });
    expect(requests).toEqual([]);
  });

  it('learns nothing about names of the internal network', async () => {
    dns.setRecords('vault.test', 'A', ['10.0.0.5']);
    const errors = await Promise.all(
      ['vault.test', 'unknown.test'].map(async host => [
        (await send(`http://${host}/`)).error?.replace(host, ''),
        await urls.accept(`https://${host}/`).catch((error: Error) => error.message.replace(host, '')),
      ]),
    );
    expect(errors[0]).toEqual(errors[1]);
  });

  it.each([
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ])('at https://%s is refused when it is created and when it is called', async host => {
    await expect(urls.accept(`https://${host}/`)).rejects.toMatchObject({ code: 'invalid_url' });
    expect((await send(`http://${host}:${portOf()}/`)).error).toMatch(/is not a host with a public address$/);
    expect(requests).toEqual([]);
  });

  it('is not followed to another address', async () => {
    const open = new HttpEndpointClient(new OutboundGuard({ allowPrivate: true }), 2_000);
    expect(await send(`http://127.0.0.1:${portOf()}/hook`, open)).toMatchObject({ status: 302 });
    expect(requests).toEqual(['/hook']);
    await open.onModuleDestroy();
  });
});

it('Webhooks whose name servers do not answer delay no other webhook', async () => {
  const dns = await startDnsServer();
  const healthy = createServer((_, response) => response.writeHead(204, { connection: 'close' }).end()).listen(
    0,
    '127.0.0.1',
  );
  await once(healthy, 'listening');
  const { port } = healthy.address() as AddressInfo;
  dns.setRecords('healthy.test', 'A', ['127.0.0.1']);
  const silent = Array.from({ length: 20 }, (_, n) => `silent-${n}.test`);
  for (const name of silent) dns.failWith(name, 'TIMEOUT');
  const resolver = new HostResolver({ servers: [dns.address], limitMs: 2_000 });
  const guard = new OutboundGuard({ allowPrivate: true, resolve: name => resolver.resolve(name) });
  const client = new HttpEndpointClient(guard, 4_000);
  const send = (host: string) =>
    client.send({
      url: `http://${host}:${port}/hook`,
      body: '{}',
      secret: 's',
      timestampS: 1,
      previousAttempts: 0,
      traceparent: undefined,
    });
  // Eight attempts at once for each endpoint, as the workers make them.
  const hanging = silent.flatMap(host => Array.from({ length: 8 }, () => send(host)));
  for (let n = 0; n < 5; n += 1) {
    const { status, latencyMs } = await send('healthy.test');
    expect(status).toBe(204);
    expect(latencyMs).toBeLessThan(1_500);
  }
  for (const { error } of await Promise.all(hanging)) expect(error).toContain('no name server answered in time');
  expect(new Set(dns.queries.map(({ name }) => name)).size).toBe(silent.length + 1);
  await client.onModuleDestroy();
  healthy.close();
  await dns.stop();
});
