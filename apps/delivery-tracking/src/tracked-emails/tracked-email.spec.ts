import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { after, publicEvents, SENT } from '../testing/decided-signals.js';
import {
  accepted,
  at,
  complained,
  copy,
  EMAIL_ID,
  FACTS,
  handedOver,
  notified,
  retried,
} from '../testing/example-signals.js';
import type { Signal } from './signal.js';

describe('A hand-over', () => {
  it('that the relay accepts waits for a notification', () => {
    expect(after(accepted).when(handedOver(copy(0), copy(1)))).toEqual(['hand-over-recorded']);
  });

  it('to a relay that is the last hop is a delivery', () => {
    const events = after(accepted).events(handedOver(copy(0, { relay_is_final: true, smtp_response: '250 kept' })));
    expect(publicEvents(events)).toEqual([
      expect.objectContaining({ recipient_index: 0, to: 'ada@x.test', data: { smtp_response: '250 kept' } }),
    ]);
  });

  it.each([
    [
      'an unknown user',
      copy(0, { result: 'refused', smtp_response: '550 5.1.1 no such user' }),
      'hard',
      /no such user/,
    ],
    ['a full mailbox', copy(0, { result: 'refused', smtp_response: '552 5.2.2 mailbox full' }), 'soft', /mailbox full/],
    ['our own reputation', copy(0, { result: 'refused', smtp_response: '554 5.7.1 listed at zen' }), 'soft', /listed/],
    ['an expired copy', copy(0, { result: 'expired', smtp_response: '451 4.3.0 later' }), 'soft', /later/],
    [
      'a copy that a disabled service may not send',
      copy(0, {
        result: 'refused',
        smtp_response: 'the email service was disabled before this copy could be handed over',
        relay: null,
      }),
      'soft',
      /disabled/,
    ],
    ['a suppressed address', copy(0, { result: 'suppressed', smtp_response: '' }), 'hard', /^suppressed/],
  ] as const)('bounces for %s', (_, outcome, bounceType, reason) => {
    const [bounce] = publicEvents(after(accepted).events(handedOver(outcome)));
    expect(bounce?.data).toEqual({ bounce_type: bounceType, reason: expect.stringMatching(reason) });
  });

  it('that is deferred waits for the result of a retry', () => {
    const deferred = handedOver(copy(0), copy(1, { result: 'deferred', smtp_response: '451 busy' }));
    expect(after(accepted).when(deferred)).toEqual(['hand-over-recorded']);
    const refused = retried(copy(1, { result: 'refused', smtp_response: '550 5.1.1 gone', at: at(60) }));
    expect(after(accepted, deferred).when(refused)).toEqual(['copy-retried', 'email-bounced']);
  });

  it('that was interrupted can be followed by a delivery', () => {
    const interrupted: Signal = {
      kind: 'interrupted',
      data: { email_id: EMAIL_ID, service_id: FACTS.service_id, at: at(5) },
    };
    expect(after(accepted, interrupted).when(notified('delivered'))).toEqual(['email-delivered']);
  });
});

describe('A notification or report', () => {
  it.each(['delivered', 'relayed', 'expanded'] as const)(
    'with the action "%s" is a delivery, with the server’s response',
    action => {
      const [delivery] = publicEvents(after(...SENT).events(notified(action, { response: '250 OK id=1' })));
      expect(delivery).toMatchObject({ to: 'ada@x.test', from: FACTS.from, subject: FACTS.subject, counts: true });
      expect(delivery?.data).toEqual({ smtp_response: '250 OK id=1' });
    },
  );

  it('with the action "failed" is a bounce of its type', () => {
    const [bounce] = publicEvents(
      after(...SENT).events(notified('failed', { bounceType: 'soft', response: '552 full' })),
    );
    expect(bounce?.data).toEqual({ bounce_type: 'soft', reason: '552 full' });
  });

  it('with the action "delayed" only adds to the timeline', () => {
    expect(after(...SENT).when(notified('delayed'))).toEqual(['delivery-delayed']);
  });

  it('of a bounce is published even after a delivery', () => {
    expect(after(...SENT, notified('delivered')).when(notified('failed'))).toEqual(['email-bounced']);
  });

  it('publishes each event once per recipient', () => {
    expect(after(...SENT, notified('delivered')).when(notified('relayed', { at: at(99) }))).toEqual([]);
    expect(after(...SENT, notified('failed')).when(notified('failed', { at: at(99) }))).toEqual([]);
    expect(after(...SENT, complained).when(complained)).toEqual([]);
    expect(after(...SENT).when(accepted)).toEqual([]);
    expect(after(...SENT).when(SENT[1])).toEqual([]);
  });

  it('about a forwarded address is a soft bounce that names the address', () => {
    const [bounce] = publicEvents(after(...SENT).events(notified('failed', { addresses: ['ada@elsewhere.test'] })));
    expect(bounce?.data).toEqual({ bounce_type: 'soft', reason: 'ada@elsewhere.test: 550 5.1.1 no such user' });
  });

  it('about a recipient that was forwarded to another domain is a soft bounce that names the forwarded address', () => {
    const addresses = ['ada@elsewhere.test', 'ada@x.test'];
    const [bounce] = publicEvents(after(...SENT).events(notified('failed', { addresses })));
    expect(bounce?.data).toEqual({ bounce_type: 'soft', reason: 'ada@elsewhere.test: 550 5.1.1 no such user' });
  });

  it.each(['a.lovelace@x.test', 'ada@store.x.test'])('about %s, an alias of the recipient’s domain, is hard', alias => {
    const [bounce] = publicEvents(after(...SENT).events(notified('failed', { addresses: [alias, 'ada@x.test'] })));
    expect(bounce?.data).toMatchObject({ bounce_type: 'hard' });
  });

  it('about a forwarded address is refused if the same mail reports about the recipient', () => {
    const { status, ...signal } = notified('failed', { addresses: ['ada@elsewhere.test'] });
    const also = { ...signal, status: { ...status, allAddresses: ['ada@elsewhere.test', 'ada@x.test'] } };
    expect(after(...SENT).refusal(also)).toBe('report_for_another_recipient');
  });

  it('without an address is about the recipient of its return path', () => {
    const [bounce] = publicEvents(after(...SENT).events(notified('failed', { addresses: [] })));
    expect(bounce).toMatchObject({ to: 'ada@x.test', data: { bounce_type: 'hard' } });
  });

  it('that is not understood adds to the timeline, five times at most', () => {
    const notice = notified('not_understood', { addresses: [], response: 'Your message is very important to us' });
    expect(after(...SENT).events(notice)).toMatchObject([
      {
        type: 'delivery-tracking.notice-not-understood.v1',
        data: { index: 0, text: 'Your message is very important to us' },
      },
    ]);
    expect(after(...SENT, ...Array.from({ length: 5 }, () => notice)).refusal(notice)).toBe('too_many_notices');
  });

  it('of a complaint about a message applies to the recipient that it names, or to the only recipient', () => {
    const named = (addresses: readonly string[]): Signal => ({
      kind: 'complained',
      addresses,
      source: 'abuse',
      at: at(60),
    });
    expect(publicEvents(after(...SENT).events(named(['Bob@x.test'])))[0]?.to).toBe('bob@x.test');
    expect(after(...SENT).refusal(named(['eve@x.test']))).toBe('unknown_recipient');
    expect(after(...SENT).refusal(named([]))).toBe('unknown_recipient');
  });

  it('about another recipient of the message than that of its return path is refused', () => {
    expect(after(...SENT).refusal(notified('failed', { addresses: ['bob@x.test'] }))).toBe(
      'report_for_another_recipient',
    );
  });

  it('matches its recipient in any letter case and by the original address of a forwarded message', () => {
    const forwarded = notified('failed', { addresses: ['ada@elsewhere.test', 'Ada@X.test'] });
    expect(after(...SENT).when(forwarded)).toEqual(['email-bounced']);
  });

  it('about an unknown recipient is refused', () => {
    expect(after(...SENT).refusal({ ...complained, index: 7 } as Signal)).toBe('unknown_recipient');
  });

  it('never gives two events of one type the same timestamp, by which receivers deduplicate', () => {
    const [first, second] = publicEvents(
      after(accepted).events(
        handedOver(
          copy(0, { result: 'refused', smtp_response: '550 5.1.1 no' }),
          copy(1, { result: 'refused', smtp_response: '550 5.1.1 no' }),
        ),
      ),
    );
    expect(first?.timestamp).toBe(at(1));
    expect(second?.timestamp).toBe(at(1.001));
  });

  it('is published without the control characters of its response', () => {
    const [bounce] = publicEvents(after(...SENT).events(notified('failed', { response: '550 a\r\nX-Evil: 1\u0000' })));
    expect(bounce?.data).toMatchObject({ reason: '550 a X-Evil: 1' });
  });
});

describe('Deadlines', () => {
  it('end the wait of every copy without a notification, with a reason', () => {
    const events = after(...SENT, notified('delivered')).events({ kind: 'deadline_passed', at: at(500_000) });
    expect(events).toEqual([
      {
        type: 'delivery-tracking.notification-missed.v1',
        data: expect.objectContaining({
          recipient_index: 1,
          reason: expect.stringContaining('no delivery notification arrived'),
        }),
      },
    ]);
  });

  it('pass once, and a late delivery still counts', () => {
    const passed: Signal = { kind: 'deadline_passed', at: at(500_000) };
    expect(after(...SENT, passed).when(passed)).toEqual([]);
    expect(after(...SENT, passed).when(notified('delivered'))).toEqual(['email-delivered']);
  });
});

it('publishes the same events for any order and repetition of signals', () => {
  const signals = [
    handedOver(copy(0), copy(1, { result: 'deferred' })),
    retried(copy(1, { result: 'refused', smtp_response: '550 5.1.1 no', at: at(60) })),
    notified('delivered'),
    notified('failed', { at: at(20) }),
    complained,
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([...signals, ...signals], { minLength: 10 }), shuffled => {
      const published = publicEvents(after(accepted, ...shuffled).history).map(
        ({ to, data }) => `${to} ${JSON.stringify(data)}`,
      );
      expect(published.sort()).toEqual(
        [
          'ada@x.test {"smtp_response":"250 2.0.0 stored"}',
          'ada@x.test {"bounce_type":"hard","reason":"550 5.1.1 no such user"}',
          'ada@x.test {"source":"abuse FeedbackLoop/1"}',
          'bob@x.test {"bounce_type":"hard","reason":"550 5.1.1 no"}',
        ].sort(),
      );
    }),
  );
});
