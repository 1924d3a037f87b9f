import { describe, expect, it } from '@jest/globals';
import { type Engagement, machineReason } from './machine-detection.js';

describe('Whether a person or a machine opened a message', () => {
  it.each([
    ['Apple Mail Privacy Protection', 'Mozilla/5.0', 'Apple Mail Privacy Protection loads every image in advance'],
    ['a security scanner', 'Mozilla/5.0 (compatible; Barracuda Sentinel)', 'security scanner'],
    ['a link preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'link preview'],
    ['a crawler', 'Mozilla/5.0 (compatible; bingbot/2.0)', 'crawler or automation'],
    ['a program without a name', '', 'no user agent'],
  ])('takes %s for a machine', (_, userAgent, reason) => {
    expect(machineReason(opening({ userAgent }))).toBe(reason);
  });

  it.each([
    ['a browser', BROWSER()],
    [
      "Google's image proxy, which fetches when a person opens",
      'Mozilla/5.0 (Windows NT 5.1) (via ggpht.com GoogleImageProxy)',
    ],
    ["Yahoo's image proxy", 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
    ['a mail client of an unknown name', 'PaperPlane/3.1'],
  ])('takes %s for a person', (_, userAgent) => {
    expect(machineReason(opening({ userAgent }))).toBeUndefined();
  });

  it('takes an opening before the hand-over for a machine, whatever it calls itself', () => {
    expect(machineReason(opening({ at: '2026-03-01T10:00:00.000Z', handedOverAt: '2026-03-01T10:00:01.000Z' }))).toBe(
      'before the message was handed over',
    );
  });

  it('applies the minimum reading delay only to agents that are not browsers', () => {
    const soon = { at: '2026-03-01T10:00:01.500Z', deliveredAt: '2026-03-01T10:00:00.000Z' };
    expect(machineReason(opening({ ...soon, userAgent: 'fetcher/1' }))).toMatch(/two seconds/);
    expect(machineReason(opening({ ...soon, userAgent: BROWSER() }))).toBeUndefined();
  });
});

function BROWSER(): string {
  return 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15';
}

function opening(change: Partial<Engagement>): Engagement {
  return { userAgent: BROWSER(), at: '2026-03-01T12:00:00.000Z', handedOverAt: null, deliveredAt: null, ...change };
}
