import { describe, expect, it } from '@jest/globals';
import { plainAddress } from './plain-address.js';

describe('the address of a user in a mail of Postern', () => {
  it.each(['ada@example.com', 'ada.lovelace+shop@mail.example.co.uk', 'a_b-c@xn--mnchen-3ya.example'])(
    'is shown: %s',
    address => expect(plainAddress(address)).toBe(address),
  );

  it.each([
    'https://evil.example/?x@evil.example',
    'www.evil.example@evil.example',
    'evil.example/a@evil.example',
    '"call +1 555 1234567"@evil.example',
    'аda@example.com',
    `${'a'.repeat(90)}@example.com`,
    'a..b@example.com',
    'ada@localhost',
  ])('is not shown if a mail client may make another link of it: %s', address =>
    expect(plainAddress(address)).toBeUndefined(),
  );
});
