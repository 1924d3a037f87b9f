import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unsubscribeRecipient } from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { type GatewayUnderTest, LINK_SECRET, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const EMAIL_ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const tokens = TrackingTokens.fromSecrets([LINK_SECRET]);
const token = tokens.unsubscribeToken(EMAIL_ID, 3);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(unsubscribeRecipient, () => ({}));
});

const unsubscriptions = () => gateway.services.requestsOf(unsubscribeRecipient);

describe('The hosted page to unsubscribe', () => {
  it('shows a button, and changes nothing if it is only opened', async () => {
    const page = await call('GET', `${gateway.url}/u/${token}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<form method="post">');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    await call('HEAD', `${gateway.url}/u/${token}`);
    expect(unsubscriptions()).toEqual([]);
  });

  it('unsubscribes the recipient of the copy once the button is pressed', async () => {
    const done = await call('POST', `${gateway.url}/u/${token}`, { headers: form });
    expect([done.status, done.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(unsubscriptions()).toEqual([{ email_id: EMAIL_ID, recipient_index: 3, at: expect.any(String) }]);
  });

  it('unsubscribes with one click of a mail program (RFC 8058), without cookies and from any site', async () => {
    const headers = { ...form, origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' };
    const options = { headers, body: 'List-Unsubscribe=One-Click' };
    expect((await call('POST', `${gateway.url}/u/${token}`, options)).status).toBe(200);
    expect(unsubscriptions()).toHaveLength(1);
  });

  it('does nothing with a token that Postern did not sign for it', async () => {
    const forged = [
      `${token.slice(0, -1)}${token.endsWith('A') ? 'Q' : 'A'}`,
      tokens.openToken(EMAIL_ID, 3),
      'A'.repeat(46),
      'x'.repeat(9_000),
    ];
    for (const one of forged) {
      expect((await call('GET', `${gateway.url}/u/${one}`)).status).toBe(404);
      expect((await call('POST', `${gateway.url}/u/${one}`, { headers: form })).status).toBe(404);
    }
    expect(unsubscriptions()).toEqual([]);
  });

  it('never reports success while the service is unavailable', async () => {
    gateway.services.on(unsubscribeRecipient, () => {
      throw new Error('not now');
    });
    expect((await call('POST', `${gateway.url}/u/${token}`, { headers: form })).status).toBeGreaterThanOrEqual(500);
  });
});
