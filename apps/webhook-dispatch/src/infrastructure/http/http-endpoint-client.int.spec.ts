import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpEndpointCaller } from './http-endpoint-client.js';

let server: Server;
let answer: (response: ServerResponse) => void;
let caller: HttpEndpointCaller;

beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  caller = new HttpEndpointCaller(true, 200);
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  await caller.onModuleDestroy();
});

const call = (by = caller) =>
  by.call({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    body: '{}',
    secret: 'whsec_test',
    nowS: 1_800_000_000,
    attemptsBefore: 0,
    traceparent: undefined,
  });

describe('a call of an endpoint', () => {
  it('keeps the first 16 KiB of the answer, without NUL, and reads no further', async () => {
    let cutOff: Promise<unknown> | undefined;
    answer = response => {
      cutOff = once(response, 'close');
      response.writeHead(200).write(`\0${'x'.repeat(40_000)}`);
    };
    const { status, responseHead } = await call();
    expect(status).toBe(200);
    expect(responseHead).toBe(`\ufffd${'x'.repeat(16 * 1024 - 1)}`);
    await cutOff;
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['no answer at all', () => undefined],
    ['half an answer', response => void response.writeHead(200).write('half')],
  ])('is given up at its deadline after %s, and its connection with it', async (_, begin) => {
    let cutOff: Promise<unknown> | undefined;
    answer = response => {
      cutOff = once(response, 'close');
      begin(response);
    };
    expect(await call()).toEqual({ error: 'no complete answer within 0.2 s', latencyMs: expect.any(Number) });
    await cutOff;
  });

  it('tells of a connection that breaks', async () => {
    answer = response => response.destroy();
    expect(await call()).toEqual({
      error: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
      latencyMs: expect.any(Number),
    });
  });

  it('goes on after calls that failed', async () => {
    answer = response => response.destroy();
    await call();
    answer = response => response.writeHead(204).end();
    expect(await call()).toMatchObject({ status: 204, responseHead: '' });
  });

  it('never begins where the URL names a private address', async () => {
    const guarded = new HttpEndpointCaller(false, 200);
    expect((await call(guarded)).error).toBe('127.0.0.1 is at 127.0.0.1, which is no public address');
    await guarded.onModuleDestroy();
  });
});
