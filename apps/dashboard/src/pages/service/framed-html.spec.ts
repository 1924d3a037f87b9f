import { expect, it } from '@jest/globals';
import { framedHtml, hasRemoteImages } from './framed-html.js';

it('The frame of a message begins with a policy that allows inline styles and embedded images, nothing else', () => {
  const html = '<meta http-equiv="Content-Security-Policy" content="default-src *"><script>alert(1)</script>';
  const document = framedHtml(html);
  expect(document.indexOf(html)).toBeGreaterThan(document.indexOf("default-src 'none'"));
  expect(document.slice(0, document.indexOf(html))).toMatch(
    /^<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
  );
});

it.each([
  ['<img src="https://cdn.example.com/logo.png">', true],
  ["<td background='https://cdn.example.com/back.png'>", true],
  ['<div style="background: url(https://cdn.example.com/back.png)">', true],
  ['<a href="https://example.com">Shop</a><img src="data:image/gif;base64,R0">', false],
  ['<img src="cid:logo"><img src="http://example.com/logo.png">', false],
])('%s shows remote images: %s', (html, shows) => expect(hasRemoteImages(html)).toBe(shows));
