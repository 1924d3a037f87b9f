import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { askCertificate, findTrackingHost } from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway?.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(askCertificate, ({ domain }) => ({ verified: domain.endsWith('shop.example.com') }));
  gateway.services.on(findTrackingHost, ({ host }) => ({ verified: host === 'click.example.com' }));
});

const statusOf = async (query: string) => (await call('GET', `${gateway.url}/tls/ask${query}`)).status;

it.each([
  ['?domain=shop.example.com', 200],
  ['?domain=click.example.com', 200],
  ['?domain=CLICK.example.com', 200],
  ['?domain=other.example.com', 404],
  ['', 400],
  ['?domain=', 400],
  [`?domain=${'a'.repeat(256)}`, 400],
  ['?domain=shop.example.com&domain=x', 400],
])('The query %s of a TLS proxy gets %i, without a credential', async (query, status) =>
  expect(await statusOf(query)).toBe(status),
);

it.each([
  ['a verified domain', 'repeated.shop.example.com', 200],
  ['any other name', 'repeated.example.net', 404],
])('A flood with %s causes one request to platform-management', async (_what, domain, status) => {
  const names = Array.from({ length: 50 }, (_, n) => (n % 2 ? domain : domain.toUpperCase()));
  expect(new Set(await Promise.all(names.map(name => statusOf(`?domain=${name}`))))).toEqual(new Set([status]));
  expect(gateway.services.requestsOf(askCertificate)).toEqual([{ domain }]);
});

it.each([
  ['click.example.com', 'gateway'],
  ['header.shop.example.com', 'load-balancer'],
  ['header.other.example.com', undefined],
])('The response for %s names the process that serves links there', async (domain, upstream) => {
  const { headers } = await call('GET', `${gateway.url}/tls/ask?domain=${domain}`);
  expect(headers['x-postern-upstream']).toBe(upstream);
});

it.each([
  ['click.example.com', 'platform-management', askCertificate, 200],
  ['half.shop.example.com', 'email-send', findTrackingHost, 200],
  ['half.other.example.com', 'email-send', findTrackingHost, 500],
])('%s is answered without %s if the other service knows it', async (domain, _service, failing, status) => {
  gateway.services.on(failing, () => {
    throw new Error('broken');
  });
  expect(await statusOf(`?domain=${domain}`)).toBe(status);
});
