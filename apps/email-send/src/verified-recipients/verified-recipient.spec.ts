import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { normalizeRecipient, type VerifiedRecipientEvent, verifiedRecipient } from './verified-recipient.js';

const given = specificationOf(verifiedRecipient);
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 10, count)).toISOString();

foldsEveryFixture(join(import.meta.dirname, 'fixtures'), verifiedRecipient);

describe('the address of a recipient', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['Ada <ADA@bücher.example>', 'ada@xn--bcher-kva.example'],
  ])('%p is compared as %p', (input, address) => expect(normalizeRecipient(input)).toBe(address));

  it('is refused if it is invalid', () =>
    expect(() => normalizeRecipient('ada@localhost')).toThrow(expect.objectContaining({ code: 'invalid_input' })));
});

describe('a verified recipient', () => {
  it('is sent a code that is valid for 24 hours', () => given().when(send(0)).yields(sent(0)));

  it('is verified by the code', () => given(sent(0)).when(enter('hash 0', 5)).yields(verified(5)));

  it('is verified by the newest code only', () => {
    given(sent(0), sent(1)).when(enter('hash 0', 5)).yields(mismatched(5));
    given(sent(0), sent(1)).when(enter('hash 1', 5)).yields(verified(5));
  });

  it('is not verified by an expired code', () => {
    given(sent(0))
      .when(enter('hash 0', 24 * 60))
      .refuses('code_expired');
    given(sent(0))
      .when(enter('hash 0', 24 * 60 - 1))
      .yields(verified(24 * 60 - 1));
  });

  it('has five attempts per code, and five more with a new code', () => {
    const wrong = [1, 2, 3, 4, 5].map(mismatched);
    given(sent(0), ...wrong.slice(1))
      .when(enter('hash 0', 6))
      .yields(verified(6));
    given(sent(0), ...wrong)
      .when(enter('hash 0', 6))
      .refuses('too_many_attempts');
    given(sent(0), ...wrong, sent(7))
      .when(enter('hash 7', 8))
      .yields(verified(8));
  });

  it('is mailed at most five codes within an hour, even if it was removed in between', () => {
    const five = [0, 10, 20, 30, 40].map(sent);
    given(...five)
      .when(send(59))
      .refuses('too_many_codes', 'ada@example.com was sent 5 codes within the hour');
    given(...five)
      .when(send(60))
      .yields(sent(60));
    given(...five, removed)
      .when(send(59))
      .refuses('too_many_codes');
  });

  it('needs no further code', () => {
    given(sent(0), verified(5)).when(send(6)).refuses('recipient_exists');
    given(sent(0), verified(5)).when(enter('anything', 6)).yields();
  });

  it('is verified without a code when the platform has verified it', () => {
    given().when(confirm).yields(confirmed);
    given(sent(0)).when(confirm).yields(confirmed);
    given(confirmed).when(confirm).refuses('recipient_exists');
  });

  it('does not exist after its removal', () => {
    given(sent(0), verified(5))
      .when({ kind: 'remove', at: minute(0) })
      .yields(removed);
    given(sent(0), verified(5), removed)
      .when({ kind: 'remove', at: minute(0) })
      .refuses('recipient_not_found');
    given(sent(0), removed).when(enter('hash 0', 5)).refuses('recipient_not_found');
  });
});

const ofRecipient = { service_id: 's1', recipient_id: 'r1' };
const named = { serviceId: 's1', recipientId: 'r1', address: 'ada@example.com' };

function send(at: number) {
  return { kind: 'send-code', ...named, codeHash: `hash ${at}`, at: minute(at) } as const;
}
function enter(hash: string, at: number) {
  return { kind: 'enter-code', codeHashes: ['under a newer key', hash], at: minute(at) } as const;
}
function sent(at: number): VerifiedRecipientEvent {
  return {
    type: 'email-send.recipient-code-sent.v1',
    data: {
      ...ofRecipient,
      address: 'ada@example.com',
      code_hash: `hash ${at}`,
      expires_at: minute(at + 24 * 60),
      at: minute(at),
    },
  };
}
function mismatched(at: number): VerifiedRecipientEvent {
  return { type: 'email-send.recipient-code-mismatched.v1', data: { ...ofRecipient, at: minute(at) } };
}
function verified(at: number): VerifiedRecipientEvent {
  return {
    type: 'email-send.recipient-verified.v1',
    data: { ...ofRecipient, address: 'ada@example.com', by: 'code', at: minute(at) },
  };
}
const removed: VerifiedRecipientEvent = {
  type: 'email-send.recipient-removed.v1',
  data: { ...ofRecipient, at: minute(0) },
};
const confirm = { kind: 'confirm', ...named, at: minute(0) } as const;
const confirmed: VerifiedRecipientEvent = {
  type: 'email-send.recipient-verified.v1',
  data: { ...ofRecipient, address: 'ada@example.com', by: 'ownership', at: minute(0) },
};
