import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askCertificate } from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.services.on(askCertificate, ({ domain }) => ({ verified: domain === 'shop.example.com' }));
}, 60_000);
afterAll(() => gateway?.stop());

it.each([
  ['?domain=shop.example.com', 200],
  ['?domain=other.example.com', 404],
  ['', 400],
  ['?domain=', 400],
  [`?domain=${'a'.repeat(256)}`, 400],
  ['?domain=shop.example.com&domain=x', 400],
])('A TLS front that asks %s gets %i, without a credential', async (query, status) =>
  expect((await call('GET', `${gateway.url}/tls/ask${query}`)).status).toBe(status),
);
