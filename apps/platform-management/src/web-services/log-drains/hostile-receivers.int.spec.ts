import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import { createCertificates, startHttpReceiver, type TestHttpReceiver } from '@postern/testing';
import { DrainSender } from './drain-sender.js';
import type { DrainTarget } from './drain-target.js';

const SERVICE = { webServiceId: '019ca2c0-0000-7000-8000-000000000001', name: 'shop' };
const lineOf = (message: string) => ({
  id: '1-1',
  timestamp: new Date(),
  instance: 'web-1',
  stream: 'stdout' as const,
  message,
  deploymentId: undefined,
});
const LINES = ['one', 'two'].map(lineOf);
const TIMEOUT_MS = 500;

const certificates = createCertificates('IP:127.0.0.1');
const ca = readFileSync(certificates.ca, 'utf8');
const identity = (of = certificates): TlsOptions => ({
  cert: readFileSync(of.server.cert),
  key: readFileSync(of.server.key),
});

const open: { server: Server; sockets: Set<Socket> }[] = [];
const listening = async <S extends Server>(server: S): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', socket => sockets.add(socket));
  open.push({ server, sockets });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

let client: EndpointHttpClient;
let guard: OutboundGuard;
let sender: DrainSender;
let receiver: TestHttpReceiver;
beforeAll(async () => {
  guard = new OutboundGuard({ allowPrivate: true });
  client = new EndpointHttpClient(guard, { timeoutMs: TIMEOUT_MS, ca });
  sender = new DrainSender(client, guard, { timeoutMs: TIMEOUT_MS, ca });
  receiver = await startHttpReceiver();
});
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
afterAll(async () => {
  await receiver?.stop();
  await client?.close();
});

const target = (url: string, headers: DrainTarget['headers'] = {}): DrainTarget => ({ url, headers });
const post = (of: DrainTarget) => sender.send('https', of, LINES, SERVICE);

describe('a receiver over HTTP', () => {
  it('gets the lines and headers over TLS, with a verified certificate', async () => {
    const bodies: string[] = [];
    const port = await listening(
      createHttpsServer(identity(), async (request, response) => {
        bodies.push(`${request.headers.authorization} ${request.headers['content-type']} ${await textOf(request)}`);
        response.writeHead(204).end();
      }),
    );
    const of = target(`https://127.0.0.1:${port}/in`, { Authorization: 'Bearer t-1' });
    expect(await post(of)).toMatchObject({ error: undefined });
    expect(bodies).toEqual([
      expect.stringMatching(/^Bearer t-1 application\/x-ndjson \{.*"one".*\}\n\{.*"two".*\}\n$/),
    ]);
    const distrusting = new EndpointHttpClient(guard, { timeoutMs: TIMEOUT_MS });
    const { error } = await new DrainSender(distrusting, guard).send('https', of, LINES, SERVICE);
    expect(error).toMatch(/certificate|UNABLE_TO_VERIFY/i);
    await distrusting.close();
    expect(bodies).toHaveLength(1);
  });

  it.each([
    [{ status: 500 }, 'HTTP 500 Internal Server Error'],
    [{ status: 401, body: 'the key t-secret is unknown' }, 'HTTP 401 Unauthorized: the key ******** is unknown'],
    [{ status: 400, body: 'a\u0000\nb' }, 'HTTP 400 Bad Request: a� b'],
    [{ behaviour: 'hang' }, `no complete answer within ${TIMEOUT_MS / 1_000} s`],
  ] as const)('that answers %j accepts nothing', async (answer, error) => {
    receiver.answerNext(answer);
    expect(await post(target(receiver.url, { 'X-Key': 't-secret' }))).toMatchObject({ error });
  });

  it('that closes the connection accepts nothing', async () => {
    receiver.answerNext({ behaviour: 'drop' });
    expect((await post(target(receiver.url))).error).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });

  it('is not followed to another address', async () => {
    const before = receiver.requests.length;
    receiver.answerNext({ status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data/' } });
    expect((await post(target(receiver.url))).error).toBe('HTTP 307 Temporary Redirect; redirects are not followed');
    receiver.answerNext({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    await post(target(receiver.url));
    expect(receiver.requests.length - before).toBe(2);
  });

  it('that answers without an end costs at most 16 KiB, and 300 characters of the error', async () => {
    receiver.answerNext({ status: 500, body: 'x'.repeat(5_000_000) });
    const { error } = await post(target(receiver.url));
    expect(error).toHaveLength(300);
  });

  it('that refuses the size of a batch, or asks to wait, is understood', async () => {
    receiver.answerNext({ status: 413 });
    expect(await post(target(receiver.url))).toMatchObject({ isTooLarge: true });
    receiver.answerNext({ status: 503, headers: { 'retry-after': '7' } });
    expect(await post(target(receiver.url))).toMatchObject({ retryAfterMs: 7_000 });
  });

  it('at a private address gets nothing, whatever was stored', async () => {
    const guarded = new OutboundGuard({ allowPrivate: false });
    const guardedClient = new EndpointHttpClient(guarded, { timeoutMs: TIMEOUT_MS });
    const before = receiver.requests.length;
    const result = await new DrainSender(guardedClient, guarded).send('otlp', target(receiver.url), LINES, SERVICE);
    expect(result.error).toBe('127.0.0.1 is not a host with a public address');
    expect(receiver.requests.length).toBe(before);
    await guardedClient.close();
  });
});

describe('a syslog server', () => {
  const syslogServer = (onConnection: (socket: TLSSocket) => void, options: TlsOptions = identity()) =>
    listening(
      createTlsServer({ allowHalfOpen: true, ...options }, socket => onConnection(socket.on('error', () => {}))),
    );
  const send = (port: number, lines = LINES) =>
    sender.send('syslog', target(`syslog+tls://127.0.0.1:${port}`), lines, SERVICE);

  it('gets octet-counted messages over TLS, and confirms them by closing the connection', async () => {
    const received: string[] = [];
    const port = await syslogServer(async socket => {
      received.push(await textOf(socket));
      socket.end();
    });
    expect(await send(port)).toMatchObject({ error: undefined });
    expect(received[0]).toMatch(/^\d+ <14>1 \S+ web-1 shop - stdout \[postern@32473 .*\] one\d+ <14>1 .*\] two$/);
  });

  it('gets a batch that is larger than the buffers of the connection', async () => {
    let bytes = 0;
    const port = await syslogServer(async socket => {
      for await (const chunk of socket) bytes += chunk.length;
      socket.end();
    });
    expect(
      await send(
        port,
        Array.from({ length: 100 }, () => lineOf('x'.repeat(16_000))),
      ),
    ).toMatchObject({
      error: undefined,
    });
    expect(bytes).toBeGreaterThan(1_600_000);
  });

  it('with a certificate that is not trusted, or of another name, gets nothing', async () => {
    const received: string[] = [];
    const read = async (socket: TLSSocket) => void received.push(await textOf(socket));
    const [untrusted, renamed] = await Promise.all([
      syslogServer(read, identity(createCertificates('IP:127.0.0.1'))),
      syslogServer(read),
    ]);
    expect((await send(untrusted)).error).toMatch(/certificate/i);
    const localhost = target(`syslog+tls://localhost:${renamed}`);
    expect((await sender.send('syslog', localhost, LINES, SERVICE)).error).toMatch(/altnames|localhost/i);
    expect(received.join('')).toBe('');
  });

  it('without TLS gets nothing', async () => {
    let received = '';
    const port = await listening(
      createServer(socket => {
        socket.on('error', () => {}).on('data', chunk => (received += chunk.toString('latin1')));
        socket.write('plaintext banner\r\n');
      }),
    );
    expect((await send(port)).error).toBeDefined();
    expect(received).not.toContain('one');
  });

  it.each<[string, (socket: TLSSocket) => void]>([
    ['closes before it has read', socket => socket.destroy()],
    ['resets the connection', socket => void socket.once('data', () => resetConnections())],
    ['never closes', socket => void socket.resume()],
    ['never reads', socket => void socket.pause()],
  ])('that %s has accepted nothing', async (_, behave) => {
    const port = await syslogServer(behave);
    const large = Array.from({ length: 500 }, () => lineOf('x'.repeat(16_000)));
    expect((await send(port, large)).error).toBeDefined();
  });

  it('that never answers the handshake has accepted nothing, within the time limit', async () => {
    const port = await listening(createServer(socket => void socket.on('error', () => {})));
    expect((await send(port)).error).toBe(`no connection within ${TIMEOUT_MS / 1_000} s`);
  });

  it('that sends without an end is not read into memory', async () => {
    const port = await syslogServer(socket => {
      socket.resume();
      const flood = () => {
        while (socket.writable && socket.write(Buffer.alloc(65_536)));
      };
      socket.on('drain', flood);
      flood();
    });
    const before = process.memoryUsage().arrayBuffers;
    expect((await send(port)).error).toBeDefined();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('at a private address gets no connection', async () => {
    let connections = 0;
    const port = await syslogServer(() => (connections += 1));
    const guarded = new DrainSender(client, new OutboundGuard({ allowPrivate: false }), { timeoutMs: TIMEOUT_MS, ca });
    for (const host of ['127.0.0.1', 'localhost']) {
      const { error } = await guarded.send('syslog', target(`syslog+tls://${host}:${port}`), LINES, SERVICE);
      expect(error).toBe(`${host} is not a host with a public address`);
    }
    expect(connections).toBe(0);
  });
});

/** Resets the TCP connections below TLS. */
const resetConnections = () => {
  for (const { sockets } of open) for (const socket of sockets) socket.resetAndDestroy();
};

const textOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
