import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KeyRing } from '@postern/service-host';
import { DeviceTokens } from './device-tokens.js';

const keyRing = () => new KeyRing([{ id: 'first', key: randomBytes(32) }]);
const DAY_MS = 24 * 3_600_000;

afterEach(() => {
  jest.useRealTimers();
});

describe('the token of a device', () => {
  const tokens = new DeviceTokens(keyRing());

  it('identifies the device only to the account that it was issued for', () => {
    const token = tokens.tokenOf('ada');
    const device = tokens.deviceOf(token, 'ada');
    expect(device).toMatch(/^[\w-]{16}$/);
    expect(tokens.deviceOf(token, 'ada')).toBe(device);
    expect(tokens.deviceOf(tokens.tokenOf('ada'), 'ada')).not.toBe(device);
    expect(tokens.deviceOf(token, 'eve')).toBeUndefined();
    expect(tokens.deviceOf(token, undefined)).toBeUndefined();
  });

  it('cannot be forged, changed or sealed for another purpose', () => {
    const ring = keyRing();
    const own = new DeviceTokens(ring);
    const token = own.tokenOf('ada');
    const changed = `${token.slice(0, -8)}AAAAAAA=`;
    const other = ring.seal(JSON.stringify({ userId: 'ada', deviceId: 'x', issuedAt: Date.now() }), 'another purpose');
    const shortened = `first:${Buffer.alloc(16).toString('base64')}`;
    for (const forged of ['', 'x', 'first:', shortened, changed, other, tokens.tokenOf('ada')])
      expect(own.deviceOf(forged, 'ada')).toBeUndefined();
  });

  it('is valid for 180 days', () => {
    jest.useFakeTimers({ now: 0 });
    const token = tokens.tokenOf('ada');
    jest.setSystemTime(180 * DAY_MS);
    expect(tokens.deviceOf(token, 'ada')).toBeDefined();
    jest.setSystemTime(180 * DAY_MS + 1);
    expect(tokens.deviceOf(token, 'ada')).toBeUndefined();
  });
});
