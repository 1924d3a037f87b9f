import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateSession, Refusal } from '@postern/contracts';
import { otherAddress } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { admitAll, KEY } from '../../../testing/platform-call.js';

/** Another client than the loopback addresses, from which the fixture calls. */
const OTHER = otherAddress();

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
const WITH_KEY = `GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;

let gateway: GatewayUnderTest;
beforeEach(async () => {
  gateway = await startGateway({ POSTERN_CLIENT_REQUESTS_PER_SECOND: '20' });
  admitAll(gateway.services);
  gateway.services.on(authenticateSession, () => {
    throw new Refusal('session_invalid', 'Sign in again.');
  });
});
afterEach(() => gateway.stop());

/**
 * Sends from an address, and returns the statuses of `count` responses, or of those received before the connection
 * closed.
 */
const statuses = (request: string, count: number, localAddress: string): Promise<string[]> =>
  new Promise(resolve => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress }, () => socket.write(request));
    let received = '';
    const found = () => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status as string);
    socket.on('data', data => {
      received += data.toString('latin1');
      if (found().length >= count) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(found()));
  });

describe('a connection', () => {
  it('can have some pipelined requests without a credential', async () => {
    expect(await statuses(LIVE.repeat(5), 5, OTHER)).toEqual(Array(5).fill('200'));
  });

  it('is closed for many pipelined requests without a credential', async () => {
    expect((await statuses(LIVE.repeat(500), 500, OTHER)).length).toBeLessThan(10);
  });

  it('can have many with a previously accepted credential', async () => {
    await call('GET', `${gateway.url}/api/v1/projects`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(await statuses(WITH_KEY.repeat(50), 50, OTHER)).toEqual(Array(50).fill('200'));
  });
});

describe('a client that continues while it is refused', () => {
  it('waits a second for the end of a connection without a response', async () => {
    let longest = 0;
    const client = async () => {
      for (let n = 0; n < 200 && longest < 900; n++) {
        const begun = performance.now();
        const answers = await statuses(LIVE.replace('/health/live', '/nothing'), 1, OTHER);
        if (answers.length === 0) longest = Math.max(longest, performance.now() - begun);
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    expect(longest).toBeGreaterThan(900);
  });
});

describe('requests that are answered with an error', () => {
  const BURST = 10;
  const PER_SECOND = 5;
  const AT_ONCE = 10;

  it('spend a quarter of the budget, so that invented credentials cause fewer requests to services', async () => {
    const invented = 'GET /dashboard/api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n';
    const before = gateway.services.requestsOf(authenticateSession).length;
    const begun = performance.now();
    const found: string[] = [];
    const client = async () => {
      for (let n = 0; n < 20; n++) found.push(...(await statuses(invented, 1, OTHER)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const seconds = (performance.now() - begun) / 1_000;
    expect(new Set(found)).toEqual(new Set(['401', '429']));
    const requests = gateway.services.requestsOf(authenticateSession).length - before;
    expect(requests).toBeLessThanOrEqual(BURST + AT_ONCE + PER_SECOND * seconds);
  });
});
