import { describe, expect, it } from '@jest/globals';
import { textFromHtml } from './text-from-html.js';

describe('the text of an HTML body', () => {
  it('keeps words, links, lists and lines', () => {
    const html = `<html><head><title>no</title><style>p{}</style></head><body><h1>Reset</h1>
      <p>Hello&nbsp;Ada,<br>use <a href="https://example.com/r?a=1&amp;b=2">this link</a>.</p>
      <ul><li>one</li><li>two</li></ul><a href="https://example.com">https://example.com</a>
      <img src="https://example.com/logo.png" alt="Our logo"><script>alert(1)</script></body></html>`;
    expect(textFromHtml(html)).toBe(
      'Reset\n\nHello\u00a0Ada,\nuse this link [https://example.com/r?a=1&b=2].\n\n * one\n * two\n\nhttps://example.com Our logo',
    );
  });

  it.each([
    ['deeply nested elements', '<div>'.repeat(200_000)],
    ['deeply nested tables', '<table><tr><td>'.repeat(20_000)],
    ['deeply nested lists', '<ul><li>'.repeat(20_000)],
    ['unclosed tags', '<a href="'.repeat(50_000)],
    ['lonely brackets', '<'.repeat(500_000)],
    ['many blanks', ' '.repeat(500_000)],
    ['one long word', 'x'.repeat(5_000_000)],
    ['many entities', '&amp;'.repeat(100_000)],
    ['many siblings', '<p>x</p>'.repeat(60_000)],
  ])('is found in bounded time for %s', (_, html) => {
    // Of the processor, for the machine may be busy; without bounds it would be minutes.
    const before = process.cpuUsage().user;
    expect(textFromHtml(html).length).toBeLessThan(2_000_000);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(10_000);
  });
});
