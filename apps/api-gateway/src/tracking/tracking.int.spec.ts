import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { recordClick, recordOpen } from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, LINK_SECRET, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const EMAIL_ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const tokens = TrackingTokens.fromSecrets([LINK_SECRET]);
const PIXEL = `/o/${tokens.openToken(EMAIL_ID, 3)}.gif`;
const TARGET = 'https://example.com/a?b=%20c&d=ü#e';
const LINK = `/c/${tokens.clickToken(EMAIL_ID, 3, TARGET)}`;
const headers = { 'user-agent': 'Mail/1.0' };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ POSTERN_TRUSTED_PROXIES: '127.0.0.0/8' });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(recordOpen, () => ({}));
  gateway.services.on(recordClick, () => ({}));
});

const opens = () => gateway.services.requestsOf(recordOpen);
const clicks = () => gateway.services.requestsOf(recordClick);

describe('the pixel', () => {
  it('is a 43-byte GIF that is not cached, for every token', async () => {
    for (const path of [PIXEL, '/o/forged.gif', '/o/x']) {
      const answer = await call('GET', `${gateway.url}${path}`);
      expect([answer.status, answer.headers['content-type'], answer.headers['content-length']]).toEqual([
        200,
        'image/gif',
        '43',
      ]);
      expect(answer.headers['cache-control']).toContain('no-store');
      expect(answer.text.startsWith('GIF89a')).toBe(true);
    }
    await waitFor(() => opens().length === 1, { timeoutMs: 2_000, describe: 'the open of the signed one' });
  });

  it('records the open in delivery-tracking', async () => {
    await call('GET', `${gateway.url}${PIXEL}`, { headers: { ...headers, 'x-forwarded-for': '203.0.113.9' } });
    await waitFor(() => opens().length === 1, { timeoutMs: 2_000, describe: 'the open' });
    expect(opens()[0]).toEqual({
      email_id: EMAIL_ID,
      recipient_index: 3,
      user_agent: 'Mail/1.0',
      ip: '203.0.113.9',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('does not count HEAD requests and forged tokens', async () => {
    await call('HEAD', `${gateway.url}${PIXEL}`);
    await call('GET', `${gateway.url}/o/${'A'.repeat(46)}.gif`);
    await call('GET', `${gateway.url}${PIXEL}`);
    await waitFor(() => opens().length > 0, { timeoutMs: 2_000, describe: 'the one open' });
    expect(opens()).toHaveLength(1);
  });
});

describe('a tracked link', () => {
  it('redirects to its target and records the click', async () => {
    const answer = await call('GET', `${gateway.url}${LINK}`, { headers });
    expect([answer.status, answer.headers['location']]).toEqual([302, 'https://example.com/a?b=%20c&d=%C3%BC#e']);
    await waitFor(() => clicks().length === 1, { timeoutMs: 2_000, describe: 'the click' });
    expect(clicks()[0]).toMatchObject({ email_id: EMAIL_ID, recipient_index: 3, url: TARGET, user_agent: 'Mail/1.0' });
  });

  it('redirects on HEAD without recording a click', async () => {
    expect((await call('HEAD', `${gateway.url}${LINK}`)).status).toBe(302);
    await call('GET', `${gateway.url}${LINK}`);
    await waitFor(() => clicks().length > 0, { timeoutMs: 2_000, describe: 'the one click' });
    expect(clicks()).toHaveLength(1);
  });

  it('does not redirect without a valid signature', async () => {
    for (const path of [`${LINK}A`, '/c/https%3A%2F%2Fevil.example', `/c/${'A'.repeat(3_000)}`]) {
      const answer = await call('GET', `${gateway.url}${path}`);
      expect([answer.status, answer.headers['location']]).toEqual([404, undefined]);
      expect(answer.headers['content-type']).toContain('text/html');
    }
  });
});

describe('while delivery-tracking fails', () => {
  it('responds before delivery-tracking replies if it is slow', async () => {
    const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
    gateway.services.on(recordClick, () => promise);
    expect((await call('GET', `${gateway.url}${LINK}`)).status).toBe(302);
    resolve({});
  });

  it('responds immediately and records later', async () => {
    let failures = 2;
    gateway.services.on(recordOpen, () => {
      if (failures-- > 0) throw new Error('not now');
      return {};
    });
    expect((await call('GET', `${gateway.url}${PIXEL}`)).status).toBe(200);
    await waitFor(() => opens().length === 3, { timeoutMs: 5_000, describe: 'the third try' });
  });

  it('records everything before the shutdown ends', async () => {
    const second = await startGateway();
    let known = 0;
    let failures = 1;
    second.services.on(recordOpen, () => {
      if (failures-- > 0) throw new Error('not now');
      known += 1;
      return {};
    });
    const shown = Array.from({ length: 50 }, () => call('GET', `${second.url}${PIXEL}`));
    await Promise.all(shown);
    expect(await second.stopGateway()).toBe(true);
    expect(known).toBe(50);
    await second.stop();
  });
});
