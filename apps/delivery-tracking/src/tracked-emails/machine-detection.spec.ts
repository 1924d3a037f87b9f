import { describe, expect, it } from '@jest/globals';
import { type Engagement, machineReason } from './machine-detection.js';

describe('An engagement', () => {
  it.each([
    ['Apple Mail Privacy Protection', 'Mozilla/5.0', 'Apple Mail Privacy Protection loads every image in advance'],
    ['a security scanner', 'Mozilla/5.0 (compatible; Barracuda Sentinel)', 'security scanner'],
    ['a link preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'link preview'],
    ['a crawler', 'Mozilla/5.0 (compatible; bingbot/2.0)', 'crawler or automation'],
    ['an agent without a name', '', 'no user agent'],
  ])('by %s comes from a machine', (_, userAgent, reason) => {
    expect(machineReason(engagement({ userAgent }))).toBe(reason);
  });

  it.each([
    ['a browser', BROWSER()],
    [
      "Google's image proxy, which fetches when a person opens",
      'Mozilla/5.0 (Windows NT 5.1) (via ggpht.com GoogleImageProxy)',
    ],
    ["Yahoo's image proxy", 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
    ['a mail client of an unknown name', 'PaperPlane/3.1'],
  ])('by %s comes from a person', (_, userAgent) => {
    expect(machineReason(engagement({ userAgent }))).toBeUndefined();
  });

  it('before the hand-over comes from a machine, with any agent', () => {
    expect(
      machineReason(engagement({ at: '2026-03-01T10:00:00.000Z', handedOverAt: '2026-03-01T10:00:01.000Z' })),
    ).toBe('before the message was handed over');
  });

  it('shortly after delivery comes from a machine unless the agent is a browser', () => {
    const soon = { at: '2026-03-01T10:00:01.500Z', deliveredAt: '2026-03-01T10:00:00.000Z' };
    expect(machineReason(engagement({ ...soon, userAgent: 'fetcher/1' }))).toMatch(/two seconds/);
    expect(machineReason(engagement({ ...soon, userAgent: BROWSER() }))).toBeUndefined();
  });

  it('prefetched the link or the image', () =>
    expect(machineReason(engagement({ userAgent: BROWSER(), isPrefetch: true }))).toMatch(/prefetched/));

  it('is the prefetcher of Gmail, which names a browser of 2015', () => {
    const gmail =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';
    expect(machineReason(engagement({ userAgent: gmail }))).toMatch(/Gmail/);
  });
});

function BROWSER(): string {
  return 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15';
}

function engagement(change: Partial<Engagement>): Engagement {
  return { userAgent: BROWSER(), at: '2026-03-01T12:00:00.000Z', handedOverAt: null, deliveredAt: null, ...change };
}
