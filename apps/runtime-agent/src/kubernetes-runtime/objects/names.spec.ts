import { describe, expect, it } from '@jest/globals';
import { hostName } from './names.js';

const id = '0197a3b0-1111-7222-8333-0123456789ab';

describe('The host of a web service', () => {
  it.each([
    ['shop', 'shop-23456789ab.apps.example.com'],
    ['My Shop!', 'my-shop-23456789ab.apps.example.com'],
    ['-ä-', 'service-23456789ab.apps.example.com'],
    ['Ω', 'service-23456789ab.apps.example.com'],
  ])('is made of any name: %s', (name, host) => {
    expect(hostName(id, name, 'apps.example.com')).toBe(host);
  });

  it('has labels of 63 characters at most', () => {
    const [label = ''] = hostName(id, 'a'.repeat(200), 'apps.example.com').split('.');
    expect(label.length).toBeLessThanOrEqual(63);
  });
});
