import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { optOutOfCodes } from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { type GatewayUnderTest, LINK_SECRET, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const tokens = TrackingTokens.fromSecrets([LINK_SECRET]);
const token = tokens.optOutToken(randomBytes(32));
const PATH = `/unsubscribe/${token}`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(optOutOfCodes, () => ({}));
});

const optOuts = () => gateway.services.requestsOf(optOutOfCodes);

describe('the link with which a recipient refuses verification codes', () => {
  it('shows a page with a button, and changes nothing if it is only opened', async () => {
    const page = await call('GET', `${gateway.url}${PATH}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<form method="post">');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    await call('HEAD', `${gateway.url}${PATH}`);
    expect(optOuts()).toEqual([]);
  });

  it('opts out once the button is pressed', async () => {
    const done = await call('POST', `${gateway.url}${PATH}`, { headers: form });
    expect([done.status, done.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(optOuts()).toEqual([{ token }]);
  });

  it('opts out by one-click unsubscribe of a mail client (RFC 8058), without cookies and from any site', async () => {
    const headers = { ...form, origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' };
    const options = { headers, body: 'List-Unsubscribe=One-Click' };
    expect((await call('POST', `${gateway.url}${PATH}`, options)).status).toBe(200);
    expect(optOuts()).toEqual([{ token }]);
  });

  it('does nothing with a token that Postern did not sign', async () => {
    const forged = [
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      tokens.openToken('0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f', 1),
      'A'.repeat(64),
      'x'.repeat(9_000),
    ];
    for (const one of forged) {
      expect((await call('GET', `${gateway.url}/unsubscribe/${one}`)).status).toBe(404);
      expect((await call('POST', `${gateway.url}/unsubscribe/${one}`, { headers: form })).status).toBe(404);
    }
    expect(optOuts()).toEqual([]);
  });

  it('never reports success while the service is unavailable', async () => {
    gateway.services.on(optOutOfCodes, () => {
      throw new Error('not now');
    });
    expect((await call('POST', `${gateway.url}${PATH}`, { headers: form })).status).toBeGreaterThanOrEqual(500);
  });
});
