import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BounceName } from './bounce-rule.js';
import { classifyBounce } from './classify-bounce.js';

describe('a bounce', () => {
  it.each<[string | undefined, string, 'hard' | 'soft', BounceName]>([
    ['5.1.1', '550 5.1.1 User unknown', 'hard', 'unknown_user'],
    ['5.1.1', '', 'hard', 'unknown_user'],
    ['5.1.2', '', 'hard', 'no_such_domain'],
    ['5.1.3', '', 'hard', 'bad_address'],
    ['5.1.6', '', 'hard', 'moved'],
    ['5.1.10', '556 5.1.10 null MX', 'hard', 'null_mx'],
    ['5.2.1', '550 5.2.1 disabled', 'hard', 'mailbox_disabled'],
    ['5.4.4', 'Host not found', 'hard', 'no_such_domain'],
    ['5.2.2', '552 5.2.2 mailbox full', 'soft', 'mailbox_full'],
    ['5.2.3', '', 'soft', 'message_too_big'],
    ['5.3.4', '552 5.3.4 too big', 'soft', 'message_too_big'],
    ['5.1.8', '550 5.1.8 sender domain has no MX', 'soft', 'sender_rejected'],
    ['5.7.1', '550 5.7.1 access denied', 'soft', 'policy'],
    ['5.7.1', '550 5.7.1 listed at zen.spamhaus.org', 'soft', 'reputation'],
    ['5.7.26', '550 5.7.26 not authenticated', 'soft', 'authentication'],
    ['5.4.7', '', 'soft', 'expired'],
    ['4.4.7', 'delivery time expired', 'soft', 'expired'],
    ['4.1.1', '450 4.1.1 user unknown', 'soft', 'unknown_user'],
    ['5.1.1', '450 4.1.1 user unknown', 'soft', 'unknown_user'],
    ['5.4.6', '', 'soft', 'loop'],
    ['5.6.0', '554 5.6.0 bad content', 'soft', 'content'],
    ['5.0.0', '550 5.1.1 no such user here', 'hard', 'unknown_user'],
    ['5.0.0', '550 No such user here', 'hard', 'unknown_user'],
    ['5.4.1', '550 5.4.1 Recipient address rejected: Access denied', 'hard', 'unknown_user'],
    ['5.4.1', '', 'soft', 'unreachable'],
    [undefined, '550 the account you tried does not exist', 'hard', 'unknown_user'],
    [undefined, '550 mailbox quota exceeded', 'soft', 'mailbox_full'],
    [undefined, '552 no', 'soft', 'mailbox_full'],
    [undefined, '556 domain takes no mail', 'hard', 'null_mx'],
    [undefined, '550 user unknown, blocked using a blocklist', 'soft', 'reputation'],
    [undefined, '550 mailbox unavailable', 'hard', 'unknown_user'],
    [undefined, '450 mailbox unavailable', 'soft', 'unknown_user'],
    [undefined, '450 user unknown', 'soft', 'unknown_user'],
    [undefined, 'user unknown', 'soft', 'unknown_user'],
    [undefined, '', 'soft', 'other'],
    ['5.2.1', '550 5.2.1 The account is disabled', 'hard', 'mailbox_disabled'],
    ['5.0.0', '550 Mailbox is frozen', 'soft', 'mailbox_disabled'],
    ['5.0.0', '550 Recipient address rejected: On hold', 'soft', 'mailbox_disabled'],
    ['5.0.0', '542 ada@example.org Rejected', 'hard', 'unknown_user'],
    [
      '5.0.0',
      '550 <ada@example.org>: Recipient address rejected. (in reply to RCPT TO command)',
      'hard',
      'unknown_user',
    ],
    [undefined, '550 malformed address: <ada@example.org> may not follow bob@example.org', 'soft', 'content'],
    [undefined, '554 Could not find a gateway for ada@example.org', 'soft', 'unreachable'],
    [undefined, '550 no such user here: Message contains [1] file attachments', 'hard', 'unknown_user'],
    ['nonsense', 'nonsense', 'soft', 'other'],
  ])('with status %s and the text %j is %s: %s', (status, text, type, name) => {
    expect(classifyBounce(status === undefined ? { text } : { status, text })).toMatchObject({ type, name });
  });

  it.each<[string, string | undefined, string, BounceName]>([
    ['Yandex', '5.7.1', '550 5.7.1 No such user!', 'unknown_user'],
    [
      'Mail.ru',
      '5.0.0',
      '550 Message was not accepted -- invalid mailbox. Local mailbox ada@example.org is unavailable: account is disabled',
      'mailbox_disabled',
    ],
    [
      'Mail.ru',
      undefined,
      '550 Message was not accepted -- invalid mailbox. Local mailbox ada@example.org is unavailable: user not found',
      'unknown_user',
    ],
    [
      'Proofpoint',
      '5.7.1',
      '550 5.7.1 <ada@example.org>: Recipient address rejected: User email address is marked as invalid.',
      'unknown_user',
    ],
    [
      'Trend Micro',
      undefined,
      '554 5.7.1 <ada@example.org>: Recipient address rejected: Invalid-Recipient.',
      'unknown_user',
    ],
    [
      'Zerospam',
      '5.7.1',
      '554 5.7.1 <ada@example.org>: Recipient address rejected: Not in recipient list',
      'unknown_user',
    ],
    [
      'Mimecast',
      '5.0.0',
      '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [x]',
      'unknown_user',
    ],
    ['Free', '5.2.1', '550 5.2.1 This mailbox has been blocked due to inactivity', 'mailbox_disabled'],
    ['Rambler', '5.7.1', '540 5.7.1 <ada@example.org>: recipient address rejected: Inactive', 'mailbox_disabled'],
    ['Outlook.com', '5.4.1', '550 5.4.1 All recipient addresses rejected : Access denied', 'unknown_user'],
    ['Microsoft 365', '5.4.310', '550 5.4.310 DNS domain example.org does not exist', 'no_such_domain'],
    ['a policy server', '5.7.1', '550 5.7.1 <ada@example.org>... User unknown', 'unknown_user'],
  ])(
    'is hard if the reply states that the recipient is unknown or closed, whatever its code: %s',
    (_, status, text, name) => {
      const evidence = status === undefined ? { text } : { status, text };
      expect(classifyBounce(evidence)).toMatchObject({ type: 'hard', name });
    },
  );

  it.each<[string | undefined, string, BounceName]>([
    ['5.1.1', '552 5.1.1 <ada@example.org> Mailbox delivery failure policy error', 'policy'],
    ['5.1.1', '550 5.1.1 rejected due to a violation of our policies', 'policy'],
    ['5.3.0', '551 5.3.0 Unknown error', 'system'],
    ['5.1.1', '550 Sender verify failed: 550 5.1.1 user unknown', 'sender_rejected'],
    [undefined, '550 5.1.1 Could not complete sender verify callout: user unknown', 'sender_rejected'],
    ['5.7.1', '550 5.7.1 <ada@example.org>: unknown user; client listed at zen.spamhaus.org', 'reputation'],
    ['5.7.1', '554 5.7.1 message is spam: unknown user', 'policy'],
    ['5.7.1', '550 5.7.1 your account is disabled', 'policy'],
    ['5.7.1', '550 5.7.1 <sales@example.com>: Sender address rejected: user not found', 'policy'],
    [undefined, '550 Requested action not taken: mailbox unavailable Reject due to policy restrictions.', 'reputation'],
  ])('is soft if the reply is about the sender, a policy or the message: %s %s', (status, text, name) => {
    const evidence = status === undefined ? { text } : { status, text };
    expect(classifyBounce({ ...evidence, isFinal: true })).toMatchObject({ type: 'soft', name });
  });

  it.each([
    [
      'SMTP error from remote mail server after MAIL FROM:<a@b.test> SIZE=99: 553 5.1.0 b.test does not exist',
      'stage.mail-from',
    ],
    ['550 unknown user (in reply to MAIL FROM command)', 'stage.mail-from'],
    ['550 user unknown (in reply to DATA command)', 'stated.unknown'],
    ['550 user unknown (in reply to end of DATA command)', 'stated.unknown'],
  ])('is soft if a command other than RCPT was rejected: %s', (words, rule) => {
    expect(classifyBounce({ text: '550 user unknown', words, isFinal: true })).toMatchObject({ type: 'soft', rule });
  });

  it('is hard if a provider names the recipient in reply to DATA', () => {
    const text = "554 delivery error: dd This user doesn't have a yahoo.com account";
    expect(classifyBounce({ text, words: `>>> DATA <<< ${text}` })).toMatchObject({
      type: 'hard',
      name: 'unknown_user',
    });
  });

  it('is never hard for a temporary (4xx) reply or a reply about the sender’s reputation, regardless of the text', () => {
    const status = fc.tuple(fc.constantFrom('4', '5'), fc.nat(20), fc.nat(30)).map(digits => digits.join('.'));
    fc.assert(
      fc.property(status, fc.string(), (given, text) => {
        const { type } = classifyBounce({ status: given, text });
        if (given.startsWith('4') || given.startsWith('5.7.')) expect(type).toBe('soft');
      }),
    );
  });
});
