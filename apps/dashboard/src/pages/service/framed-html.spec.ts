import { expect, it } from '@jest/globals';
import { framedHtml } from './framed-html.js';

it('The frame of a message begins with a policy that allows inline styles and embedded images, nothing else', () => {
  const html = '<meta http-equiv="Content-Security-Policy" content="default-src *"><script>alert(1)</script>';
  const document = framedHtml(html);
  expect(document.indexOf(html)).toBeGreaterThan(document.indexOf("default-src 'none'"));
  expect(document.slice(0, document.indexOf(html))).toMatch(
    /^<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
  );
});
