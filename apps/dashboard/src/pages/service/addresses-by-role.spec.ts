import { describe, expect, it } from '@jest/globals';
import { addressesByRole } from './addresses-by-role.js';

describe('the recipients of a message', () => {
  it('are listed by role, in the order of the header', () =>
    expect(
      addressesByRole([
        { role: 'bcc', address: 'c@example.com' },
        { role: 'to', address: 'a@example.com' },
        { role: 'to', address: 'b@example.com' },
      ]),
    ).toEqual([
      ['to', ['a@example.com', 'b@example.com']],
      ['bcc', ['c@example.com']],
    ]));
});
