import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@postern/testing';
import { BalancerFixture, SERVICE, untilEnd } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';

const upgrade = (extra = '') =>
  `GET /live HTTP/1.1\r\nHost: shop.test\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${extra}\r\n`;

describe('A protocol upgrade', () => {
  let balancer: BalancerFixture;
  let sockets: Socket[];

  beforeEach(async () => {
    balancer = await BalancerFixture.start({ idleMs: 5_000, headersMs: 400 });
    sockets = [];
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await balancer.stop();
  });

  const dial = (url: string): Socket => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };

  it('carries WebSockets', async () => {
    const { url, server } = await balancer.serve((_incoming, response) => response.end());
    echoWebSockets(server, 'one');

    const client = await EchoClient.connect(url);

    expect(await client.echo('hello')).toBe('one: hello');
    expect(await client.echo('née')).toBe('one: née');
    client.close();
    await client.closed;
  });

  it('closes a WebSocket with the code "going away" when it is aborted', async () => {
    const { url, server } = await balancer.serve((_incoming, response) => response.end());
    echoWebSockets(server, 'one');
    const client = await EchoClient.connect(url);
    expect(await client.echo('hello')).toBe('one: hello');
    await balancer.client.switchTo(SERVICE, [{ id: 'next', host: '127.0.0.1', port: await freePort() }], 2);

    const [{ id } = { id: '' }] = (await balancer.client.routes())[0]!.draining;
    expect(await balancer.client.drain(SERVICE, [id], 50)).toBe(1);
    expect(await client.closed).toBe(1001);
  });

  it('completes a frame of a WebSocket before it closes it', async () => {
    const { url, server } = await balancer.serve((_incoming, response) => response.end());
    const [payload, half] = [Buffer.alloc(60_000, 'a'), 30_000];
    let finish: () => void = () => undefined;
    server.on('upgrade', (_incoming, socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.write(
        Buffer.concat([Buffer.from([0x82, 126, payload.length >> 8, payload.length & 255]), payload.subarray(half)]),
      );
      // The first bytes of the next frame come with the rest of this one.
      finish = () => socket.write(Buffer.concat([payload.subarray(half), Buffer.from([0x82, 5, 1])]));
    });
    const socket = dial(url);
    const received = untilEnd(socket);
    socket.write(upgrade().replace('echo', 'websocket'));
    await waitFor(() => socket.bytesRead > half, { describe: 'half of the frame' });
    await balancer.client.switchTo(SERVICE, [{ id: 'next', host: '127.0.0.1', port: await freePort() }], 2);
    const [{ id } = { id: '' }] = (await balancer.client.routes())[0]!.draining;
    await balancer.client.drain(SERVICE, [id], 20);
    finish();
    const text = await received;
    const frame = text.slice(text.indexOf('\x82'));
    expect(frame.length).toBe(4 + payload.length + 4);
    expect(frame.endsWith('a\x88\x02\x03\xe9')).toBe(true);
  });

  it('forwards any bytes in both directions, including those sent with the head, and the end of each side', async () => {
    const { url, server } = await balancer.serve((_incoming, response) => response.end());
    let fromClient = '';
    server.on('upgrade', (incoming, socket, head) => {
      expect(incoming.headers['x-forwarded-host']).toBe('shop.test');
      fromClient += head.toString('latin1');
      socket.write('HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nfirst;');
      socket.on('data', chunk => {
        fromClient += chunk.toString('latin1');
      });
      socket.on('end', () => socket.end('last'));
    });

    const socket = dial(url);
    const answer = untilEnd(socket);
    socket.write(`${upgrade()}with the head;`);
    await waitFor(() => fromClient === 'with the head;', { describe: 'the bytes that came with the head' });
    socket.end('\x00\xff');

    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 101 Fine\r\n/);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('first;last');
    expect(fromClient).toBe('with the head;\x00\xc3\xbf');
  });

  it('that the backend declines gets its response, and no later bytes reach the backend', async () => {
    let requests = 0;
    const { url, server } = await balancer.serve(() => undefined);
    server.on('upgrade', (_incoming, socket) => {
      requests += 1;
      socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno');
    });
    server.on('request', () => {
      requests += 1;
    });

    const socket = dial(url);
    const answer = untilEnd(socket);
    socket.write(`${upgrade()}GET /smuggled HTTP/1.1\r\nHost: shop.test\r\n\r\n`);

    expect(await answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n[\s\S]*\r\nConnection: close\r\n\r\nno$/);
    expect(requests).toBe(1);
  });

  it('is sent to another backend if the first accepts no connection, and gets 502 if none does', async () => {
    const { url, port, server } = await balancer.serve((_incoming, response) => response.end());
    echoWebSockets(server, 'one');
    const dead = await freePort();
    await balancer.client.switchTo(
      SERVICE,
      [
        { id: 'dead', host: '127.0.0.1', port: dead },
        { id: 'one', host: '127.0.0.1', port },
      ],
      2,
    );

    const clients = await Promise.all([1, 2, 3, 4].map(() => EchoClient.connect(url)));
    expect(await Promise.all(clients.map(client => client.echo('x')))).toEqual(Array(4).fill('one: x'));
    for (const client of clients) client.close();

    await balancer.client.switchTo(SERVICE, [{ id: 'dead', host: '127.0.0.1', port: dead }], 3);
    const socket = dial(url);
    const answer = untilEnd(socket);
    socket.write(upgrade());
    expect(await answer).toMatch(/^HTTP\/1\.1 502 /);
  });

  it('gets 504 if the backend does not respond, and 503 if the service is stopped', async () => {
    const { url, server } = await balancer.serve(() => undefined);
    server.on('upgrade', (_incoming, socket) => socket.on('error', () => undefined));
    const unanswered = dial(url);
    const late = untilEnd(unanswered);
    unanswered.write(upgrade());
    expect(await late).toMatch(/^HTTP\/1\.1 504 /);

    await balancer.client.close(SERVICE, 'stopped');
    const refused = dial(url);
    const closed = untilEnd(refused);
    refused.write(upgrade());
    expect(await closed).toMatch(/^HTTP\/1\.1 503 [\s\S]*This service is stopped/);
  });

  it('to clear-text HTTP/2 or with a body is an ordinary request', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      response.setHeader('X-Upgrade', String(incoming.headers.upgrade));
      incoming.pipe(response);
    });

    const h2c = dial(url);
    const first = untilEnd(h2c);
    h2c.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n');
    expect(await first).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Upgrade: undefined/);

    const withBody = dial(url);
    const second = untilEnd(withBody);
    withBody.write(
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: echo\r\nContent-Length: 3\r\n\r\nabc',
    );
    expect(await second).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Upgrade: undefined[\s\S]*abc/);
  });
});
