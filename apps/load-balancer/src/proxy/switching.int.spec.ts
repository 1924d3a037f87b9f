import { Agent, type RequestListener, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Backend } from '@postern/load-balancer-client';
import { waitFor } from '@postern/testing';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';

describe('A switch of backends', () => {
  let balancer: BalancerFixture;
  let url: string;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
    url = await balancer.client.reserve(SERVICE, 'shop');
  });

  afterEach(() => balancer.stop());

  const instance = async (id: string, listener: RequestListener): Promise<Backend & { server: Server }> => ({
    id,
    host: '127.0.0.1',
    ...(await balancer.backend(listener)),
  });

  it('fails no request, at 200 requests per second over repeated switches, including uploads and keep-alive connections', async () => {
    const stopped = new Set<string>();
    const servedAfterStop: string[] = [];
    const start = (id: string) =>
      instance(id, (incoming, response) => {
        if (stopped.has(id)) servedAfterStop.push(id);
        const chunks: Buffer[] = [];
        incoming.on('data', chunk => chunks.push(chunk));
        // Responses are delayed so that some are in progress whenever the backends are switched.
        incoming.on('end', () => setTimeout(() => response.end(`${id}:${Buffer.concat(chunks).length}`), 15));
      });
    const stop = async ({ id, server }: Backend & { server: Server }) => {
      stopped.add(id);
      server.close();
      server.closeAllConnections();
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const bodies = Buffer.alloc(40_000, 'x');
    let rolling = true;
    const outcomes: Promise<string>[] = [];
    const load = async () => {
      for (let sent = 0; rolling; sent += 1) {
        const upload = sent % 3 === 0;
        const question = upload ? { method: 'POST', body: bodies } : {};
        const fits = (body: string) => body.endsWith(upload ? ':40000' : ':0');
        outcomes.push(
          request(url, { ...question, ...(sent % 2 === 0 ? { agent } : {}) }).then(
            ({ status, body }) => (status === 200 && fits(body) ? 'fine' : `${status} ${body}`),
            error => String(error),
          ),
        );
        await delay(5);
      }
    };

    let running = [await start('roll-0-a'), await start('roll-0-b')];
    await balancer.client.switchTo(SERVICE, running, 0);
    const loading = load();
    for (let roll = 1; roll <= 12; roll += 1) {
      const next = [await start(`roll-${roll}-a`), await start(`roll-${roll}-b`)];
      await balancer.client.switchTo(SERVICE, next, roll);
      const old = running.map(({ id }) => id);
      expect(await balancer.client.drain(SERVICE, old, 5_000)).toBe(0);
      await Promise.all(running.map(stop));
      running = next;
      const before = outcomes.length;
      await waitFor(() => outcomes.length > before + 20, { describe: 'more requests' });
    }
    rolling = false;
    await loading;
    const results = await Promise.all(outcomes);
    agent.destroy();

    expect(results.length).toBeGreaterThan(200);
    expect(results.filter(result => result !== 'fine')).toEqual([]);
    expect(servedAfterStop).toEqual([]);
  });

  it('keeps WebSockets of the older backend open until they are drained, then aborts them', async () => {
    const old = await instance('old', (_incoming, response) => response.end());
    const next = await instance('next', (_incoming, response) => response.end('next'));
    echoWebSockets(old.server, 'old');
    echoWebSockets(next.server, 'next');
    await balancer.client.switchTo(SERVICE, [old], 1);
    const before = await EchoClient.connect(url);

    await balancer.client.switchTo(SERVICE, [next], 2);
    const after = await EchoClient.connect(url);

    expect(await before.echo('a')).toBe('old: a');
    expect(await after.echo('b')).toBe('next: b');
    expect((await request(url)).body).toBe('next');
    expect((await balancer.client.routes())[0]).toMatchObject({
      backends: [{ id: 'next', underWay: 1 }],
      draining: [{ id: 'old', underWay: 1 }],
    });
    expect(await balancer.client.drain(SERVICE, ['old'], 100)).toBe(1);
    await before.closed;
    expect(await after.echo('c')).toBe('next: c');
    await waitFor(async () => (await balancer.client.routes())[0]?.draining.length === 0, { describe: 'nothing left' });
    after.close();
  });

  it('drains a backend as soon as its last response is sent', async () => {
    let finish: () => void = () => undefined;
    const old = await instance('old', (_incoming, response) => {
      finish = () => response.end('old');
      response.write('the ');
    });
    const next = await instance('next', (_incoming, response) => response.end());
    await balancer.client.switchTo(SERVICE, [old], 1);
    const answer = request(url);
    await waitFor(async () => (await balancer.client.routes())[0]?.backends[0]?.underWay === 1);
    await balancer.client.switchTo(SERVICE, [next], 2);

    let drained: number | undefined;
    const draining = balancer.client.drain(SERVICE, ['old'], 60_000).then(cut => {
      drained = cut;
    });
    await waitFor(async () => (await balancer.client.routes())[0]?.draining[0]?.underWay === 1);
    expect(drained).toBeUndefined();
    finish();
    await draining;

    expect(drained).toBe(0);
    expect((await answer).body).toBe('the old');
  });

  it('back to a backend that is not drained yet uses it again', async () => {
    let finish: () => void = () => undefined;
    const old = await instance('old', (incoming, response) => {
      if (incoming.url === '/slow') finish = () => response.end('slow');
      else response.end('old');
    });
    const next = await instance('next', (_incoming, response) => response.end('next'));
    await balancer.client.switchTo(SERVICE, [old], 1);
    const slow = request(`${url}/slow`);
    await waitFor(async () => (await balancer.client.routes())[0]?.backends[0]?.underWay === 1);
    await balancer.client.switchTo(SERVICE, [next], 2);
    await balancer.client.switchTo(SERVICE, [old], 3);
    finish();

    expect((await slow).body).toBe('slow');
    expect((await request(url)).body).toBe('old');
    await expect(balancer.client.drain(SERVICE, ['old'], 0)).rejects.toThrow('still takes new requests');
  });

  it('sends new requests to the backend with the fewest in progress, round robin among equals', async () => {
    const hung = await instance('hung', incoming => incoming.resume());
    const quick = await Promise.all(
      ['a', 'b'].map(id => instance(id, (_incoming, response) => setTimeout(() => response.end(id), 5))),
    );
    await balancer.client.switchTo(SERVICE, [hung, ...quick], 1);
    const stuck = [request(url), request(url), request(url)].map(answer => answer.catch(() => undefined));
    await waitFor(async () => (await balancer.client.routes())[0]?.backends[0]?.underWay === 1);

    const answers: string[] = [];
    for (let index = 0; index < 30; index += 1) answers.push((await request(url)).body);

    // The hung backend is chosen only while it has no more requests in progress than the others.
    expect(answers.filter(body => body === 'a').length).toBeGreaterThan(8);
    expect(answers.filter(body => body === 'b').length).toBeGreaterThan(8);
    await balancer.client.switchTo(SERVICE, [], 2);
    await balancer.client.drain(SERVICE, ['hung'], 0);
    await Promise.all(stuck);
  });

  it('to an older version than the last is refused, and the same version may be repeated', async () => {
    const one = await instance('one', (_incoming, response) => response.end('one'));
    const two = await instance('two', (_incoming, response) => response.end('two'));
    await balancer.client.switchTo(SERVICE, [one], 5);
    await balancer.client.switchTo(SERVICE, [one, two], 5);

    await expect(balancer.client.switchTo(SERVICE, [two], 4)).rejects.toMatchObject({ name: 'StaleRoute' });
    await expect(balancer.client.close(SERVICE, 'stopped', 4)).rejects.toMatchObject({ name: 'StaleRoute' });
    expect((await balancer.client.routes())[0]).toMatchObject({ version: 5, backends: [{ id: 'one' }, { id: 'two' }] });
  });

  it('to no backends responds with a page for each reason, until there are backends again', async () => {
    const one = await instance('one', (_incoming, response) => response.end('one'));
    const fresh = await request(url, { headers: { accept: 'text/html' } });
    expect(fresh).toMatchObject({ status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(fresh.body).toMatch(/<h1>This service has not been deployed yet<\/h1>/);
    await balancer.client.switchTo(SERVICE, [], 1);
    expect((await request(url)).body).toMatch(/^This service is not running\. It is starting, or /);

    for (const [reason, message] of [
      ['stopped', /is stopped/],
      ['blocked', /is blocked/],
      ['suspended', /is suspended/],
    ] as const) {
      await balancer.client.close(SERVICE, reason);
      const { status, headers, body } = await request(url, { method: 'POST', body: 'x' });
      expect([status, Number(headers['retry-after']) > 0, message.test(body)]).toEqual([503, true, true]);
    }

    await balancer.client.switchTo(SERVICE, [one], 2);
    expect((await request(url)).body).toBe('one');
  });
});
