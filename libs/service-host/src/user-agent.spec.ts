import { expect, it } from '@jest/globals';
import { shortUserAgent, userAgentFamilyOf } from './user-agent.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const CHROME = `${WEBKIT} Chrome/141.0.0.0 Safari/537.36`;

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`, 'Chrome', 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/141.0`, 'Edge', 'Edge on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X) ${WEBKIT} Version/26.0 Safari/605.1.15`, 'Safari', 'Safari on macOS'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) ${WEBKIT} Version/19.0 Safari/604.1`, 'Safari', 'Safari on iOS'],
  [
    `Mozilla/5.0 (Linux; Android 16) ${WEBKIT} SamsungBrowser/29 Chrome/141.0`,
    'Samsung Internet',
    'Samsung Internet on Android',
  ],
  [`Mozilla/5.0 (Linux; Android 16) ${CHROME}`, 'Chrome', 'Chrome on Android'],
  [`Mozilla/5.0 (X11; Linux) ${WEBKIT} HeadlessChrome/141.0 Safari/537.36`, 'Chrome', 'Chrome on Linux'],
  ['curl/8.16.0', 'curl', 'curl'],
  ['python-requests/2.32', 'python-requests', 'python-requests'],
  ['node', 'node', 'node'],
  ['Mozilla/5.0', undefined, undefined],
  ['', undefined, undefined],
  ['<script>', undefined, undefined],
  ['ada@example.com', undefined, undefined],
  [undefined, undefined, undefined],
])('the family of %s is %s', (header, family, short) => {
  expect(userAgentFamilyOf(header)).toBe(family);
  expect(shortUserAgent(header)).toBe(short);
});
