import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import { HttpEndpointClient } from './http-endpoint-client.js';

let server: Server;
let answer: (response: ServerResponse) => void;
let client: HttpEndpointClient;

beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new HttpEndpointClient(new OutboundGuard({ allowPrivate: true }), 200);
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  await client.onModuleDestroy();
});

const send = (by = client, maySend?: () => boolean) =>
  by.send({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    body: '{}',
    secret: 'whsec_test',
    timestampS: 1_800_000_000,
    previousAttempts: 0,
    traceparent: undefined,
    maySend,
  });

describe('a request to an endpoint', () => {
  it('keeps the first 16 KiB of the response, without NUL, and reads no further', async () => {
    let cutOff: Promise<unknown> | undefined;
    answer = response => {
      cutOff = once(response, 'close');
      response.writeHead(200).write(`\0${'x'.repeat(40_000)}`);
    };
    const { status, responseHead } = await send();
    expect(status).toBe(200);
    expect(responseHead).toBe(`\ufffd${'x'.repeat(16 * 1024 - 1)}`);
    await cutOff;
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['no response', () => undefined],
    ['half a response', response => void response.writeHead(200).write('half')],
  ])('times out after %s, and its connection is closed', async (_, begin) => {
    let cutOff: Promise<unknown> | undefined;
    answer = response => {
      cutOff = once(response, 'close');
      begin(response);
    };
    expect(await send()).toEqual({ error: 'no complete answer within 0.2 s', latencyMs: expect.any(Number) });
    await cutOff;
  });

  it('reports a broken connection', async () => {
    answer = response => response.destroy();
    expect(await send()).toEqual({
      error: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
      latencyMs: expect.any(Number),
    });
  });

  it.each([200, 410])('ignores a body that breaks off after the status %i', async status => {
    answer = response => {
      response.writeHead(status, { 'content-length': 50 }).write('half', () => response.destroy());
    };
    expect(await send()).toMatchObject({ status, responseHead: 'half' });
  });

  it('succeeds after failed requests', async () => {
    answer = response => response.destroy();
    await send();
    answer = response => response.writeHead(204).end();
    expect(await send()).toMatchObject({ status: 204, responseHead: '' });
  });

  it('is not sent to a literal private address', async () => {
    const guarded = new HttpEndpointClient(new OutboundGuard({ allowPrivate: false }), 200);
    expect((await send(guarded)).error).toBe('127.0.0.1 is not a host with a public address');
    await guarded.onModuleDestroy();
  });

  it('is not sent if its process loses the endpoint while it connects, and the connection serves the next one', async () => {
    let received = 0;
    answer = response => {
      received += 1;
      response.writeHead(204).end();
    };
    let connections = 0;
    let maySend = true;
    server.on('connection', () => {
      connections += 1;
      maySend = false;
    });
    expect(await send(client, () => maySend)).toMatchObject({ notSent: true });
    expect([connections, received]).toEqual([1, 0]);
    expect(await send()).toMatchObject({ status: 204 });
    expect(received).toBe(1);
  });
});
