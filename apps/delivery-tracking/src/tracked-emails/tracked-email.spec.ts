import { describe, expect, it } from '@jest/globals';
import { Refusal } from '@postern/contracts/refusal';
import { fold } from '@postern/event-sourcing';
import fc from 'fast-check';
import {
  accepted,
  at,
  clicked,
  complained,
  copy,
  EMAIL_ID,
  FACTS,
  handedOver,
  notified,
  opened,
  retried,
} from '../testing/example-signals.js';
import type { Signal } from './signal.js';
import { trackedEmail } from './tracked-email.js';
import type { TrackedEmailEvent } from './tracked-email-events.js';

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

  it('about a recipient other than that of its return path is refused', () => {
    expect(after(...SENT).refusal(notified('failed', { addresses: ['bob@x.test'] }))).toBe(
      'report_for_another_recipient',
    );
  });

  it('matches its recipient in other case and by the original address of a forwarded message', () => {
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

describe('Opens and clicks', () => {
  it('are published with agent and address, at most one open per minute', () => {
    const [open] = publicEvents(after(...SENT).events(opened(100)));
    expect(open?.data).toEqual({ user_agent: expect.stringContaining('Firefox'), ip: '192.0.2.7' });
    expect(after(...SENT, opened(100)).when(opened(130))).toEqual([]);
    expect(after(...SENT, opened(100)).when(opened(160))).toEqual(['email-opened']);
    expect(after(...SENT, opened(100), opened(220)).when(opened(130))).toEqual([]);
  });

  it('are published up to 100 per recipient', () => {
    const many = Array.from({ length: 100 }, (_, minute) => opened(100 + minute * 60));
    expect(after(...SENT, ...many).refusal(opened(100_000))).toBe('too_many_openings');
  });

  it('by machines have a reason and do not suppress an open by a person in the same minute', () => {
    const proxy = opened(100, 'Mozilla/5.0');
    expect(publicEvents(after(...SENT).events(proxy))[0]?.data).toMatchObject({
      machine: true,
      machine_reason: expect.stringContaining('Apple'),
    });
    expect(after(...SENT, proxy).when(opened(110))).toEqual(['email-opened']);
  });

  it('on several links within one second come from a scanner, including the first', () => {
    const second = after(...SENT, clicked(100, 'https://example.com/a')).events(
      clicked(100.3, 'https://example.com/b'),
    );
    expect(second.map(kind)).toEqual(['clicks-recognised-as-machine', 'email-clicked']);
    expect(publicEvents(second)[0]?.data).toEqual({
      url: 'https://example.com/b',
      machine: true,
      machine_reason: 'several links followed within one second',
    });
  });

  it('on several links one after another come from a person', () => {
    const later = after(...SENT, clicked(100, 'https://example.com/a')).events(clicked(104, 'https://example.com/b'));
    expect(publicEvents(later)[0]?.data).toEqual({ url: 'https://example.com/b' });
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

const SENT = [accepted, handedOver(copy(0), copy(1))] as const;

/** Decides signals one after another. */
function after(...signals: readonly Signal[]) {
  const history: TrackedEmailEvent[] = [];
  for (const signal of signals) history.push(...trackedEmail.decide(signal, fold(trackedEmail, history)));
  const events = (signal: Signal) => trackedEmail.decide(signal, fold(trackedEmail, history));
  return {
    history,
    events,
    when: (signal: Signal) => events(signal).map(kind),
    refusal(signal: Signal): string | undefined {
      try {
        events(signal);
        return undefined;
      } catch (error) {
        if (Refusal.is(error)) return error.code;
        throw error;
      }
    },
  };
}

function kind({ type }: TrackedEmailEvent): string {
  return type.replace(/^delivery-tracking\.|\.v1$/g, '');
}

function publicEvents(events: readonly TrackedEmailEvent[]) {
  return events.flatMap(({ data }) => ('timestamp' in data ? [data] : []));
}
