import { describe, expect, it } from '@jest/globals';
import { mailboxKey } from './mailbox-key.js';

describe('the mailbox of an address', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ada+1@example.com', 'ada@example.com'],
    ['ada+1+2@example.com', 'ada@example.com'],
    ['a.d.a+shop@gmail.com', 'ada@gmail.com'],
    ['ada@googlemail.com', 'ada@gmail.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
    ['+ada@example.com', '+ada@example.com'],
  ])('%p is %p', (address, mailbox) => expect(mailboxKey(address)).toBe(mailbox));
});
