import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findTrackingHost, recordClick, recordOpen, unsubscribeRecipient } from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { type GatewayUnderTest, LINK_SECRET, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const EMAIL_ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const TARGET = 'https://example.com/receipt';
const HOST = 'click.example.com';
const tokens = TrackingTokens.fromSecrets([LINK_SECRET]);
const link = `/c/${tokens.clickToken(EMAIL_ID, 0, TARGET)}`;
const pixel = `/o/${tokens.openToken(EMAIL_ID, 0)}.gif`;
const unsubscribe = `/u/${tokens.unsubscribeToken(EMAIL_ID, 0)}`;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway?.stop());
beforeEach(() => {
  gateway.services.reset();
  for (const contract of [recordOpen, recordClick, unsubscribeRecipient]) gateway.services.on(contract, () => ({}));
  gateway.services.on(findTrackingHost, ({ host }) => ({ verified: host === HOST }));
});

const at = (host: string, method: string, path: string, headers: Record<string, string> = {}) =>
  call(method, `${gateway.url}${path}`, { headers: { host, ...headers } });
const lookups = () => gateway.services.requestsOf(findTrackingHost).map(({ host }) => host);

describe('a tracking host', () => {
  it('serves links, pixels and the page to unsubscribe, as every other host does, without asking a service', async () => {
    for (const host of [HOST, 'gateway.test', 'unknown.example.net']) {
      const clicked = await at(host, 'GET', link);
      expect([clicked.status, clicked.headers['location']]).toEqual([302, TARGET]);
      expect((await at(host, 'GET', pixel)).headers['content-type']).toBe('image/gif');
      expect((await at(host, 'GET', unsubscribe)).status).toBe(200);
      expect((await at(host, 'POST', unsubscribe)).status).toBe(200);
    }
    expect(lookups()).toEqual([]);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/dashboard'],
    ['GET', '/dashboard/api/session'],
    ['GET', '/docs'],
    ['GET', '/openapi.json'],
    ['POST', '/emails'],
    ['GET', '/api/v1/projects'],
    ['GET', '/health/ready'],
    ['GET', '/tls/ask?domain=shop.example.com'],
    ['GET', '/no/such/page'],
    ['POST', link],
    ['DELETE', unsubscribe],
    ['OPTIONS', '/emails'],
    ['GET', '/unsubscribe/x'],
  ])('answers %s %s with 404 and nothing else', async (method, path) => {
    for (const host of [HOST, HOST.toUpperCase(), `${HOST}:443`, `${HOST}.`]) {
      const { status, text, headers } = await at(host, method, path, { accept: 'text/html', 'api-key': 'em_x' });
      expect([status, Object.values(JSON.parse(text)), headers['allow'], headers['set-cookie']]).toEqual([
        404,
        ['Not found.'],
        undefined,
        undefined,
      ]);
    }
  });

  it('is not looked up for the host of the installation, for addresses and for short names', async () => {
    for (const host of ['gateway.test', 'GATEWAY.test:8080', '127.0.0.1', '[::1]:8080', 'localhost', 'x'])
      expect((await at(host, 'GET', '/openapi.json')).status).toBe(200);
    expect(lookups()).toEqual([]);
  });
});

describe('another name of the installation', () => {
  it('serves everything, and is looked up once for many requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => at('api.example.net', 'GET', '/openapi.json')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(lookups()).toEqual(['api.example.net']);
  });
});
