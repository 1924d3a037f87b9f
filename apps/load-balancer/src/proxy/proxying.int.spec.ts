import http, { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { BalancerFixture, request } from '../testing/balancer-fixture.js';

describe('A request to a web service', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
  });

  afterEach(() => balancer.stop());

  it('reaches the backend unchanged, and so does the response reach the client', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', chunk => chunks.push(chunk));
      incoming.on('end', () => {
        const { method, url: path } = incoming;
        const body = Buffer.concat(chunks).toString();
        response.writeHead(207, 'As You Like It', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-CaseD', 'é']);
        response.end(
          JSON.stringify({ method, path, body, host: incoming.headers.host, custom: incoming.headers['x-a'] }),
        );
      });
    });

    const answer = await request(`${url}/a%20b?x=%2F&y`, {
      method: 'PATCH',
      headers: { 'X-A': 'one', Host: 'shop.test' },
      body: 'né',
    });

    expect(answer.status).toBe(207);
    expect(JSON.parse(answer.body)).toEqual({
      method: 'PATCH',
      path: '/a%20b?x=%2F&y',
      body: 'né',
      host: 'shop.test',
      custom: 'one',
    });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.rawHeaders).toContain('X-CaseD');
    expect(answer.headers['x-cased']).toBe('é');
  });

  it('carries its origin, and does not let a client forge the address, the scheme or the host', async () => {
    const { url } = await balancer.serve((incoming, response) => response.end(JSON.stringify(incoming.headers)));

    const { body } = await request(url, {
      headers: {
        Host: 'shop.test',
        'X-Forwarded-For': '203.0.113.9',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'bank.test',
      },
    });

    expect(JSON.parse(body)).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'shop.test',
    });
  });

  it('carries no header from a client that only proxies may send', async () => {
    const { url } = await balancer.serve((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    const claims = {
      'X-Real-IP': '203.0.113.9',
      X_Real_IP: '203.0.113.9',
      Forwarded: 'for=203.0.113.9;proto=https',
      'X-Forwarded-Port': '443',
      'X-Forwarded-Prefix': '/admin',
      'X_Forwarded-For': '203.0.113.9',
      'X-Original-URL': '/admin',
      'True-Client-IP': '203.0.113.9',
      'CF-Connecting-IP': '203.0.113.9',
      Proxy: 'http://203.0.113.9:8080',
      'Proxy-Authorization': 'Basic eDp5',
      'HTTP2-Settings': 'AAMAAABk',
    };

    const { body } = await request(url, {
      headers: { ...claims, 'X-Theirs': 'end', 'X-Forwarding': 'end', under_score: 'end' },
    });

    const seen = JSON.parse(body);
    for (const name of Object.keys(claims)) expect(seen).not.toHaveProperty([name.toLowerCase()]);
    expect(seen).toMatchObject({ 'x-theirs': 'end', 'x-forwarding': 'end', under_score: 'end' });
    expect(JSON.stringify(seen)).not.toContain('203.0.113.9');
  });

  it('loses hop-by-hop headers in both directions', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      response.writeHead(200, { Connection: 'X-Hop', 'X-Hop': 'secret', 'Keep-Alive': 'timeout=99', 'X-Stays': 'yes' });
      response.end(JSON.stringify(incoming.headers));
    });

    const { body, headers } = await request(url, {
      headers: { Connection: 'X-Mine, close', 'X-Mine': 'hop', TE: 'trailers', 'X-Theirs': 'end' },
    });

    const seen = JSON.parse(body);
    expect(seen).toMatchObject({ 'x-theirs': 'end' });
    expect(seen).not.toHaveProperty('x-mine');
    expect(seen).not.toHaveProperty('te');
    expect(headers).toMatchObject({ 'x-stays': 'yes' });
    expect(headers).not.toHaveProperty('x-hop');
    expect(headers['keep-alive']).not.toBe('timeout=99');
  });

  it('gets a streamed response, with the head first', async () => {
    let next: (text: string) => void = () => undefined;
    const { url } = await balancer.serve((_incoming, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      next = text => response.write(text);
    });

    let seen = '';
    const outgoing = http.request(url, { agent: false }, response => {
      seen = 'head';
      response.on('data', chunk => {
        seen += `|${chunk}`;
      });
    });
    outgoing.on('error', () => undefined);
    outgoing.end();

    await waitFor(() => seen === 'head', { describe: 'the head' });
    next('one');
    await waitFor(() => seen === 'head|one', { describe: 'the first piece' });
    next('two');
    await waitFor(() => seen === 'head|one|two', { describe: 'the second piece' });
    outgoing.destroy();
  });

  it('is uploaded as a stream', async () => {
    let received = '';
    const { url } = await balancer.serve((incoming, response) => {
      incoming.on('data', chunk => {
        received += chunk;
      });
      incoming.on('end', () => response.end('done'));
    });

    const outgoing = http.request(url, { method: 'POST', agent: false });
    const done = new Promise(resolve => outgoing.on('response', response => response.resume().on('end', resolve)));
    outgoing.write('one');
    await waitFor(() => received === 'one', { describe: 'the first piece' });
    outgoing.end('two');
    await done;

    expect(received).toBe('onetwo');
  });

  it('ends at the backend when the client disconnects', async () => {
    let begun = false;
    let ended = false;
    const { url } = await balancer.serve((_incoming, response) => {
      begun = true;
      response.write('first');
      response.on('close', () => {
        ended = true;
      });
    });

    const outgoing = http.request(url, { agent: false }, response => response.once('data', () => outgoing.destroy()));
    outgoing.on('error', () => undefined);
    outgoing.end();

    await waitFor(() => begun && ended, { describe: 'the end at the backend' });
  });

  it('is streamed at the pace of a slow reader, without buffering', async () => {
    const piece = Buffer.alloc(64 * 1024);
    const total = 64 * 1024 * 1024;
    let sent = 0;
    let isPaused = false;
    const { url } = await balancer.serve((_incoming, response) => {
      const more = () => {
        while (sent < total) {
          sent += piece.length;
          if (!response.write(piece)) {
            isPaused = true;
            response.once('drain', () => {
              isPaused = false;
              more();
            });
            return;
          }
        }
        response.end();
      };
      more();
    });

    let read = 0;
    const whole = new Promise<void>((resolve, reject) => {
      const outgoing = http.request(url, { agent: false }, response => {
        response.pause();
        let before = -1;
        const quiet = () => {
          // The backend stops sending once every buffer on the path is full.
          const stands = isPaused && sent === before;
          before = sent;
          return stands;
        };
        void waitFor(quiet, { intervalMs: 200, describe: 'a backend that waits' }).then(() => {
          expect(sent).toBeLessThan(total / 2);
          response.on('data', (chunk: Buffer) => {
            read += chunk.length;
          });
          response.on('end', resolve);
          response.resume();
        }, reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    await whole;

    expect(read).toBe(total);
  });

  it('leaves the connection usable after HEAD, 204 and 304', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      if (incoming.url === '/204') response.writeHead(204).end();
      else if (incoming.url === '/304') response.writeHead(304, { ETag: '"x"' }).end();
      else response.writeHead(200, { 'Content-Length': 4 }).end(incoming.method === 'HEAD' ? undefined : 'four');
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    const head = await request(url, { method: 'HEAD', agent });
    const empty = await request(`${url}/204`, { agent });
    const unchanged = await request(`${url}/304`, { agent });
    const full = await request(url, { agent });
    agent.destroy();

    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '4', '']);
    expect([empty.status, unchanged.status, unchanged.headers.etag]).toEqual([204, 304, '"x"']);
    expect(full.body).toBe('four');
  });

  it('gets the response of a backend that refuses it before the upload is complete', async () => {
    const { url } = await balancer.serve((_incoming, response) => response.writeHead(413).end('too much'));

    const answered = new Promise<number | undefined>((resolve, reject) => {
      const outgoing = http.request(url, { method: 'POST', agent: false }, response => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.on('error', reject);
      outgoing.write('the beginning of something that never ends');
    });

    expect(await answered).toBe(413);
  });
});
