import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balancerFolder, controlSocket, LoadBalancerClient } from '@postern/load-balancer-client';
import { rangesOf } from '@postern/service-host/connections';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';

const OTHER = randomUUID();

describe('The load balancer', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
  });

  afterEach(() => balancer.stop());

  const file = (name: string) => join(balancerFolder(balancer.home), name);

  it('accepts orders from its own user only', async () => {
    expect((await stat(controlSocket(balancer.home))).mode & 0o777).toBe(0o600);
    expect((await stat(balancerFolder(balancer.home))).mode & 0o777).toBe(0o700);
  });

  it('gives every service its own address, which stays the same', async () => {
    const [first, again, other] = await Promise.all([
      balancer.client.reserve(SERVICE, 'shop'),
      balancer.client.reserve(SERVICE, 'shop'),
      balancer.client.reserve(OTHER, 'blog'),
    ]);

    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('keeps addresses, backends and pages across a restart', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('one'));
    const other = await balancer.client.reserve(OTHER, 'blog');
    await balancer.client.close(OTHER, 'suspended');
    const before = await balancer.client.routes();

    await balancer.stopBalancer();
    await balancer.startAgain();

    expect(await balancer.client.routes()).toEqual(before);
    expect((await request(url)).body).toBe('one');
    expect((await request(other)).body).toMatch(/is suspended/);
  });

  it('moves a service only if another process uses its port, and logs it', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('one'));
    await balancer.stopBalancer();
    const stranger = createServer((_incoming, response) => response.end('stranger'));
    await new Promise<void>(resolve => stranger.listen(Number(new URL(url).port), '127.0.0.1', resolve));

    await balancer.startAgain();
    const moved = await balancer.client.reserve(SERVICE, 'shop');

    expect(moved).not.toBe(url);
    expect((await request(moved)).body).toBe('one');
    expect(balancer.log.join()).toContain('Port in use; moved to another');
    stranger.close();
  });

  it.each([
    ['torn', '{"services":[{"id":"0192'],
    ['of another shape', '{"services":[{"id":1}]}'],
    ['empty', ''],
  ])(
    'starts without routes if their file is %s, renames the file, and accepts the routes again',
    async (_how, text) => {
      const before = await balancer.serve((_incoming, response) => response.end('one'));
      await balancer.stopBalancer();
      await writeFile(file('routes.json'), text);

      await balancer.startAgain();

      expect(await balancer.client.routes()).toEqual([]);
      expect(await readFile(file('routes.json.unreadable'), 'utf8')).toBe(text);
      const { url } = await balancer.serve((_incoming, response) => response.end('again'));
      expect(url).toBe(before.url);
      expect((await request(url)).body).toBe('again');
    },
  );

  it('releases an address when its service is removed', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('one'));

    await balancer.client.remove(SERVICE);
    await balancer.client.remove(SERVICE);

    await expect(request(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await balancer.client.routes()).toEqual([]);
    await expect(balancer.client.switchTo(SERVICE, [], 1)).rejects.toThrow('no service');
  });

  it('refuses an invalid order with the reason', async () => {
    await balancer.client.reserve(SERVICE, 'shop');

    await expect(balancer.client.switchTo(SERVICE, [{ id: 'x', host: '127.0.0.1', port: 70_000 }], 1)).rejects.toThrow(
      /port/,
    );
    await expect(balancer.client.reserve('../../etc', 'x')).rejects.toThrow(/404|is not a valid service id/);
    await expect(balancer.client.switchTo(OTHER, [], 1)).rejects.toThrow(/no service/);
  });

  it('is waited for while it restarts', async () => {
    await balancer.stopBalancer();
    const waiting = balancer.client.reserve(SERVICE, 'shop');
    await balancer.startAgain();

    expect(await waiting).toMatch(/^http:/);
    const impatient = new LoadBalancerClient(join(balancer.home, 'elsewhere'), { timeoutMs: 50 });
    await expect(impatient.routes()).rejects.toMatchObject({ name: 'BalancerUnavailable' });
  });
});

describe('With a domain', () => {
  it('forwarding headers are ignored at the shared port, even from localhost, unless the address is a trusted proxy', async () => {
    const balancer = await BalancerFixture.start({}, { domain: 'apps.test' });
    try {
      await balancer.serve((incoming, response) => response.end(JSON.stringify(incoming.headers)));
      const host = `shop-${SERVICE.slice(-8)}.apps.test`;
      const claims = {
        'X-Forwarded-For': '203.0.113.9',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'bank.test',
      };
      const { body } = await request(`http://127.0.0.1:${balancer.sharedPort}`, { headers: { Host: host, ...claims } });
      expect(JSON.parse(body)).toMatchObject({
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': host,
      });
    } finally {
      await balancer.stop();
    }
  });

  it('custom domains reach their services at the shared port, also after a restart, until their routes are removed', async () => {
    const balancer = await BalancerFixture.start({}, { domain: 'apps.test' });
    const at = async (host: string) =>
      (await request(`http://127.0.0.1:${balancer.sharedPort}`, { headers: { Host: host } })).status;
    try {
      await balancer.serve((_, response) => response.end('shop'));
      expect(await at('shop.example.com')).toBe(404);
      await balancer.client.routeHosts({ 'shop.example.com': SERVICE, 'gone.example.com': randomUUID() });
      expect([await at('SHOP.example.com:443'), await at('shop.example.com.')]).toEqual([200, 200]);
      expect([await at('gone.example.com'), await at('a.shop.example.com'), await at('__proto__')]).toEqual([
        404, 404, 404,
      ]);
      await balancer.stopBalancer();
      await balancer.startAgain();
      expect(await at('shop.example.com')).toBe(200);
      await balancer.client.routeHosts({});
      expect([await at('shop.example.com'), await at(`shop-${SERVICE.slice(-8)}.apps.test`)]).toEqual([404, 200]);
    } finally {
      await balancer.stop();
    }
  });

  it('services answer by host name at one shared port, and a trusted proxy sets the scheme', async () => {
    const trustedProxies = rangesOf(['127.0.0.1']);
    const balancer = await BalancerFixture.start({}, { domain: 'apps.test', trustedProxies });
    const end = SERVICE.slice(-8);
    try {
      const { url } = await balancer.serve((incoming, response) => response.end(JSON.stringify(incoming.headers)));
      expect(url).toBe(`https://shop-${end}.apps.test`);
      const shared = `http://127.0.0.1:${balancer.sharedPort}`;
      const at = (host: string, more = {}) =>
        request(shared, { headers: { Host: host, 'X-Forwarded-Proto': 'https', ...more } });

      const found = await at(`SHOP-${end}.apps.test:443`);
      expect(JSON.parse(found.body)).toMatchObject({
        host: `SHOP-${end}.apps.test:443`,
        'x-forwarded-proto': 'https',
      });
      expect(JSON.parse((await at(`shop-${end}.apps.test`, { 'X-Forwarded-For': '203.0.113.9' })).body)).toMatchObject({
        'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      });
      expect((await at(`blog-${end}.apps.test`)).status).toBe(404);
      expect((await at(`shop-${end}.elsewhere.test`)).status).toBe(404);
    } finally {
      await balancer.stop();
    }
  });
});
