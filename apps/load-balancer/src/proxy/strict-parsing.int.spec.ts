import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BalancerFixture, untilEnd } from '../testing/balancer-fixture.js';

describe('A request that two parsers could interpret differently', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
  });

  afterEach(() => balancer.stop());

  let received = 0;
  let port = 0;

  beforeEach(async () => {
    received = 0;
    const { url } = await balancer.serve((incoming, response) => {
      received += 1;
      incoming.resume();
      response.end('taken');
    });
    port = Number(new URL(url).port);
  });

  const raw = (text: string): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = untilEnd(socket);
    socket.write(text);
    return answer;
  };

  it.each([
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\tTransfer-Encoding: chunked\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('is refused before it reaches a backend: %s', async (_what, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toBe(0);
  });

  it('is refused when its head is too large', async () => {
    const text = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;

    expect(await raw(text)).toMatch(/^HTTP\/1\.1 431 /);
    expect(received).toBe(0);
  });

  it('with an absolute URL is routed by that URL', async () => {
    expect(await raw('GET http://b.test/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it('keeps its framing headers, even if a Connection header lists them', async () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close, content-length\r\n\r\nabc';

    expect(await raw(text)).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toBe(1);
  });
});
