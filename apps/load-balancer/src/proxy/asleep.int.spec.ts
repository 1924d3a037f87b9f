import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';

describe('A service that is asleep', () => {
  let balancer: BalancerFixture;
  let url: string;

  const start = async (headersMs = 20_000): Promise<void> => {
    balancer = await BalancerFixture.start({ headersMs });
    url = await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.close(SERVICE, 'asleep', 1);
  };

  beforeEach(() => start());
  afterEach(() => balancer.stop());

  const route = async () => (await balancer.client.routes()).find(({ id }) => id === SERVICE)!;
  const waiting = (count: number) =>
    waitFor(async () => (await route()).waiting === count, { describe: `${count} waiting requests` });

  it('lets requests wait until it has a backend, with their bodies', async () => {
    const answers = [request(url, { method: 'POST', body: Buffer.from('one order') }), request(url)];
    await waiting(2);
    const { port } = await balancer.backend((incoming, response) => incoming.pipe(response));
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 2);
    expect((await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`)).toEqual([
      '200 one order',
      '200 ',
    ]);
    expect(await route()).toMatchObject({
      waiting: 0,
      requests: 2,
      answers: { count: 2, serverErrors: 0 },
      closed: null,
    });
  });

  it('lets a WebSocket wait', async () => {
    const connected = EchoClient.connect(url);
    await waiting(1);
    const { port, server } = await balancer.backend((_incoming, response) => response.end());
    echoWebSockets(server, 'one');
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 2);
    const client = await connected;
    expect(await client.echo('hello')).toBe('one: hello');
    client.close();
  });

  it('does not wait for clients that have gone', async () => {
    const gone = request(url, { timeoutMs: 300 }).catch(() => 'gone');
    await waiting(1);
    expect(await gone).toBe('gone');
    await waiting(0);
  });

  it('answers the waiting requests when it is stopped', async () => {
    const answer = request(url);
    await waiting(1);
    await balancer.client.close(SERVICE, 'stopped', 2);
    expect(await answer).toMatchObject({ status: 503, body: expect.stringContaining('This service is stopped') });
  });

  it('answers with 503 after the time for a first byte', async () => {
    await balancer.stop();
    await start(300);
    const { status, body, headers } = await request(url);
    expect({ status, body }).toEqual({ status: 503, body: expect.stringContaining('still starting') });
    expect(headers['retry-after']).toBe('5');
  });
});
