import http, { type IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BalancerFixture, request, SERVICE } from '../testing/balancer-fixture.js';

describe('A response of a web service', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start({ headersMs: 8_000, idleMs: 1_000 });
  });

  afterEach(() => balancer.stop());

  it('may have headers of 60 KiB', async () => {
    const { url } = await balancer.serve((_incoming, response) => {
      response.writeHead(200, { 'X-Large': 'a'.repeat(60 * 1_024) }).end('hello');
    });
    // Node.js itself accepts 16 KiB unless told otherwise.
    const size = await new Promise<number>((resolve, reject) => {
      http
        .get(url, { agent: false, maxHeaderSize: 128 * 1_024 }, response => {
          response.resume();
          resolve(response.headers['x-large']?.length ?? 0);
        })
        .on('error', reject);
    });
    expect(size).toBe(60 * 1_024);
  });

  it('is replaced by a page that names the limit if its headers are larger', async () => {
    const { url } = await balancer.serve((_incoming, response) => {
      response.writeHead(200, { 'X-Large': 'a'.repeat(65 * 1_024) }).end('hello');
    });
    const { status, body } = await request(url);
    expect(status).toBe(502);
    expect(body).toContain('response headers larger than 64 KiB');
  });

  it('passes with its early hints and its trailers', async () => {
    const { url } = await balancer.serve((_incoming, response) => {
      response.writeEarlyHints({ link: ['</app.css>; rel=preload; as=style', '</app.js>; rel=preload; as=script'] });
      response.writeHead(200, { Trailer: 'Server-Timing' });
      response.write('hello');
      response.addTrailers({ 'Server-Timing': 'db;dur=53' });
      response.end();
    });
    const hints: IncomingHttpHeaders[] = [];
    const trailers = await new Promise<NodeJS.Dict<string>>((resolve, reject) => {
      const outgoing = http.get(url, { agent: false }, response => {
        expect(response.headers.trailer).toBe('Server-Timing');
        response.resume();
        response.on('end', () => resolve(response.trailers));
      });
      outgoing.on('information', ({ statusCode, headers }) => hints.push({ ...headers, status: String(statusCode) }));
      outgoing.on('error', reject);
    });
    expect(hints).toEqual([
      { status: '103', link: '</app.css>; rel=preload; as=style, </app.js>; rel=preload; as=script' },
    ]);
    expect(trailers).toEqual({ 'server-timing': 'db;dur=53' });
  });

  it('may begin later than idle connections are closed', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      incoming.resume();
      setTimeout(() => response.end('late'), 2_500);
    });
    const answers = await Promise.all([request(url), request(url, { method: 'POST', body: 'order' })]);
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(['200 late', '200 late']);
  });

  it('carries the request id of the client, as the request does', async () => {
    const { url } = await balancer.serve((incoming, response) => response.end(incoming.headers['x-request-id']));
    const { body, headers } = await request(url, { headers: { 'X-Request-Id': 'order-7:a.b' } });
    expect([body, headers['x-request-id']]).toEqual(['order-7:a.b', 'order-7:a.b']);
  });

  it.each(['', 'a b', 'a'.repeat(201)])('carries a new request id instead of %j', async given => {
    const { url } = await balancer.serve((incoming, response) => response.end(incoming.headers['x-request-id']));
    const { body, headers } = await request(url, { headers: { 'X-Request-Id': given } });
    expect(body).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['x-request-id']).toBe(body);
  });

  it('keeps a request id that the application sets, and pages of the load balancer have one', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.setHeader('x-request-id', 'theirs').end());
    expect((await request(url)).headers['x-request-id']).toBe('theirs');
    await balancer.client.switchTo(SERVICE, [], 2);
    const { status, headers } = await request(url, { headers: { 'X-Request-Id': 'mine' } });
    expect([status, headers['x-request-id']]).toEqual([503, 'mine']);
  });
});
