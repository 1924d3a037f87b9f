import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { rangesOf } from '@postern/service-host/connections';
import { freePort, waitFor } from '@postern/testing';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';
import { SupervisedBalancer } from '../testing/supervised-balancer.js';

const sockets = new Set<Socket>();
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const stop of stops.splice(0).reverse()) await stop();
});

const portOf = (url: string): number => Number(new URL(url).port);

/** Opens connections that send no data. The returned set drops connections that the other side closes. */
const hold = async (count: number, url: string, localAddress: string): Promise<ReadonlySet<Socket>> => {
  const held = new Set<Socket>();
  const open = () =>
    new Promise<void>(resolve => {
      const socket = connect({ port: portOf(url), host: '127.0.0.1', localAddress }, resolve);
      sockets.add(socket);
      held.add(socket);
      socket.on('error', () => resolve());
      socket.resume().on('close', () => held.delete(socket));
    });
  await Promise.all(Array.from({ length: count }, open));
  return held;
};

const statusFrom = (url: string, localAddress: string): Promise<number | string> =>
  request(url, { localAddress, timeoutMs: 5_000 }).then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );

const served = async (settings = {}, timeouts = {}) => {
  const balancer = await BalancerFixture.start(timeouts, settings);
  stops.push(() => balancer.stop());
  const { url } = await balancer.serve((incoming, response) =>
    incoming.resume().on('end', () => response.end('served')),
  );
  return { balancer, url };
};

describe('An address that holds 600 idle connections', () => {
  it('does not block other clients if the load balancer may open 600 files', async () => {
    const balancer = await SupervisedBalancer.start({}, [], 600);
    stops.push(() => balancer.stop());
    const instance = await BalancerFixture.start();
    stops.push(() => instance.stop());
    const { port } = await instance.backend((_incoming, response) => response.end('served'));
    const url = await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 1);

    await hold(600, url, '127.0.0.2');

    expect(await statusFrom(url, '127.0.0.3')).toBe(200);
  }, 60_000);

  it('is limited to 500 connections', async () => {
    const { url } = await served();
    const held = await hold(600, url, '127.0.0.2');
    await waitFor(() => held.size === 500, { describe: () => `500 connections: ${held.size}` });
    expect(await statusFrom(url, '127.0.0.2')).toBe('ECONNRESET');
    expect(await statusFrom(url, '127.0.0.3')).toBe(200);
  });

  it('is limited over all services and the shared port together', async () => {
    const { balancer, url } = await served({
      sharedPort: await freePort(),
      connections: { total: 100, perAddress: 20 },
    });
    const shared = `http://127.0.0.1:${balancer.sharedPort}`;
    const held = [await hold(15, url, '127.0.0.2'), await hold(15, shared, '127.0.0.2')];
    const open = () => held.reduce((sum, { size }) => sum + size, 0);
    await waitFor(() => open() === 20, { describe: () => `20 connections: ${open()}` });
    for (const socket of held[0] ?? []) socket.destroy();
    await waitFor(async () => (await statusFrom(url, '127.0.0.2')) === 200);
  });
});

describe('All connections together', () => {
  it('are limited, and a closed connection makes room for a new one', async () => {
    const { url } = await served({ connections: { total: 10, perAddress: 5 } });
    const first = await hold(5, url, '127.0.0.2');
    await hold(5, url, '127.0.0.3');
    expect(await statusFrom(url, '127.0.0.4')).toBe('ECONNRESET');
    for (const socket of first) socket.destroy();
    await waitFor(async () => (await statusFrom(url, '127.0.0.4')) === 200);
  });

  it('are limited only in total if they come from a trusted proxy at the shared port', async () => {
    const trustedProxies = rangesOf(['127.0.0.2']);
    const settings = { sharedPort: await freePort(), trustedProxies, connections: { total: 10, perAddress: 2 } };
    const { balancer, url } = await served(settings);
    await hold(8, `http://127.0.0.1:${balancer.sharedPort}`, '127.0.0.2');
    expect(await statusFrom(`http://127.0.0.1:${balancer.sharedPort}`, '127.0.0.2')).toBe(404);
    await hold(2, url, '127.0.0.2');
    expect(await statusFrom(url, '127.0.0.2')).toBe('ECONNRESET');
  });
});

describe('A client that does not send its request', () => {
  it.each(['', 'GET / HTTP/1.1\r\nHost: shop.test\r\n'])('times out after sending "%s"', async beginning => {
    const { url } = await served({}, { requestHeadersMs: 500 });
    const held = await hold(1, url, '127.0.0.2');
    for (const socket of held) socket.write(beginning);
    await waitFor(() => held.size === 0, { describe: 'the end of the connection' });
    expect(await statusFrom(url, '127.0.0.2')).toBe(200);
  });

  it('may take longer for the body of its request', async () => {
    const { url } = await served({}, { requestHeadersMs: 500 });
    let answer = '';
    const socket = connect({ port: portOf(url), host: '127.0.0.1' });
    sockets.add(socket);
    socket.on('data', chunk => {
      answer += String(chunk);
    });
    socket.write('POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2\r\n\r\na');
    const silent = await hold(1, url, '127.0.0.2');
    await waitFor(() => silent.size === 0, { describe: 'the end of a silent connection' });
    socket.write('b');
    await waitFor(() => answer.startsWith('HTTP/1.1 200 '), { describe: () => `an answer: ${answer}` });
  });
});
