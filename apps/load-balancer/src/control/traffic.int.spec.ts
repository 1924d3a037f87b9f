import { rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceTraffic } from '@postern/load-balancer-client';
import { balancerFolder } from '@postern/load-balancer-client';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';

describe('Counted traffic', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
  });

  afterEach(() => balancer.stop());

  const take = async (): Promise<number> => {
    let taken: readonly ServiceTraffic[] = [];
    await balancer.client.takeTraffic(async traffic => {
      taken = traffic;
    });
    return taken.find(({ webServiceId }) => webServiceId === SERVICE)?.bytes ?? 0;
  };

  it('is the bytes in and out of a service, including heads, counted once', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      incoming.resume();
      response.end('y'.repeat(50_000));
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let index = 0; index < 3; index += 1) await request(url, { method: 'POST', body: 'x'.repeat(30_000), agent });

    const bytes = await take();

    expect(bytes).toBeGreaterThan(3 * 80_000);
    expect(bytes).toBeLessThan(3 * 81_000);
    expect(await take()).toBe(0);
    agent.destroy();
  });

  it('is reported again if it was not confirmed', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('y'.repeat(5_000)));
    await request(url);

    await expect(balancer.client.takeTraffic(() => Promise.reject(new Error('no database')))).rejects.toThrow();

    expect(await take()).toBeGreaterThan(5_000);
  });

  it('includes a WebSocket that is still open', async () => {
    const { url, server } = await balancer.serve((_incoming, response) => response.end());
    echoWebSockets(server, 'one');
    const client = await EchoClient.connect(url);
    await take();
    for (let index = 0; index < 10; index += 1) await client.echo('x'.repeat(100));

    const bytes = await take();

    expect(bytes).toBeGreaterThan(10 * 200);
    expect(bytes).toBeLessThan(10 * 250);
    client.close();
    await client.closed;
  });

  it("does not include the load balancer's own responses for a stopped service", async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end());
    await balancer.client.close(SERVICE, 'suspended');
    await request(url);

    expect(await take()).toBe(0);
  });

  it('survives a restart on either side, and the removal of its service', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('y'.repeat(5_000)));
    await request(url);
    await take();
    await request(url);

    await balancer.client.remove(SERVICE);
    await balancer.stopBalancer();
    await balancer.startAgain();

    const bytes = await take();
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(6_000);
    expect(await take()).toBe(0);
  });

  it('that was read before the counters were lost is not subtracted from the new ones', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.end('y'.repeat(5_000)));
    await request(url);
    const taking = balancer.client.takeTraffic(async () => {
      await balancer.stopBalancer();
      await rm(join(balancerFolder(balancer.home), 'traffic.json'));
      await balancer.startAgain();
      await request(url);
    });

    await expect(taking).rejects.toMatchObject({ name: 'StaleRoute' });
    expect(await take()).toBeGreaterThan(5_000);
  });
});
