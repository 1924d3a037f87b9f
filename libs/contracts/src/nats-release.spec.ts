import { expect, it } from '@jest/globals';
import { isPatchedNats, isSupportedNats } from './nats-release.js';

it.each([
  ['2.8.4', false, false],
  ['2.9.10', true, false],
  ['2.10.27', true, false],
  ['2.12.2', true, false],
  ['2.12.11', true, false],
  ['2.12.12', true, true],
  ['2.12.14-RC.1', true, true],
  ['2.14.2', true, false],
  ['2.14.3', true, true],
  ['2.15.2', true, true],
  ['3.0.0', true, true],
  ['', false, false],
  ['none', false, false],
])('nats-server %p works: %p; has the security fixes: %p', (version, supported, patched) => {
  expect(isSupportedNats(version)).toBe(supported);
  expect(isPatchedNats(version)).toBe(patched);
});
