import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ADDRESSES,
  accepted,
  at,
  complained,
  copy,
  EMAIL_ID,
  FACTS,
  handedOver,
  notified,
  opened,
  retried,
  SERVICE_ID,
} from '../testing/example-signals.js';
import {
  InMemoryTrackingTransactions,
  NoSignalMetrics,
  TrackingMemory,
} from '../testing/in-memory-tracking-transactions.js';
import { countsOfScenarios, emailScenario, resultOfScenario, signalsOf } from '../testing/random-emails.js';
import { countsOf } from '../tracked-emails/email-counts.js';
import { RecordSignals } from '../tracked-emails/record-signals.js';
import type { Signal } from '../tracked-emails/signal.js';
import { applyToRow, isWaiting, replyOf, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { timelineOf } from './email-timeline.js';

const interrupted: Signal = { kind: 'interrupted', data: { email_id: EMAIL_ID, service_id: SERVICE_ID, at: at(50) } };
const notHandedOver: Signal = {
  kind: 'not_handed_over',
  data: { email_id: EMAIL_ID, service_id: SERVICE_ID, reason: 'no relay could be reached', at: at(2) },
};

/** The example message after these signals, one after another. */
async function after(...signals: readonly Signal[]) {
  const memory = new TrackingMemory();
  const command = new RecordSignals(new InMemoryTrackingTransactions(memory), new NoSignalMetrics());
  for (const signal of signals)
    await command.execute([{ emailId: EMAIL_ID, signal, metadata: { correlationId: 'test' } }]);
  const events = memory.eventsOf(EMAIL_ID);
  const row = structuredClone(events).reduce<TrackedEmailRow | undefined>(applyToRow, undefined)!;
  return { ...replyOf(row), counts: countsOf(row), timeline: timelineOf(events), waiting: isWaiting(row) };
}

const kinds = ({ timeline }: Awaited<ReturnType<typeof after>>) =>
  timeline.map(({ kind, recipient }) => (recipient === null ? kind : `${kind} ${recipient}`));
const [ADA, BOB] = ADDRESSES;

describe('A report about an interrupted message', () => {
  it.each([
    ['a delivery', notified('delivered', { at: at(20) }), 'delivered'],
    ['a bounce', notified('failed', { at: at(20) }), 'bounced'],
    ['a complaint', complained, 'complained'],
    ['an open', opened(60), 'delivered'],
    ['an open by a machine', opened(60, 'Mozilla/5.0'), 'handed_over'],
  ] as const)('proves that it was sent: %s, before or after the interruption', async (_, evidence, state) => {
    for (const order of [
      [accepted, interrupted, evidence],
      [accepted, evidence, interrupted],
      [evidence, interrupted, accepted],
      [interrupted, evidence, accepted],
    ]) {
      const shown = await after(...order);
      expect(shown).toMatchObject({
        status: 'sent',
        result: 'sent',
        recipients: [
          { state, result: 'sent' },
          { state: 'unknown', result: 'unknown' },
        ],
        counts: { accepted: 2, sent: 1, failed: 0, unknown: 1, retry_requested: 0 },
      });
    }
  });

  it('still proves the hand-over after the deadline for notifications', async () => {
    const passed: Signal = { kind: 'deadline_passed', at: at(500_000) };
    const shown = await after(accepted, interrupted, opened(60), passed);
    expect(shown.recipients.map(({ state }) => state)).toEqual(['delivered', 'unknown']);
    expect(shown.waiting).toBe(false);
    expect(shown.timeline.filter(({ kind }) => kind === 'unknown').map(({ recipient }) => recipient)).toEqual([BOB]);
  });
});

describe('A message whose client was asked to retry', () => {
  it('is counted separately', async () => {
    expect(await after(accepted, notHandedOver)).toMatchObject({
      result: 'retry_requested',
      recipients: [{ state: 'not_sent', result: 'retry_requested' }, { state: 'not_sent' }],
      counts: { accepted: 0, sent: 0, failed: 0, unknown: 0, retry_requested: 2 },
    });
  });

  it('counts as sent if a report proves that the relay accepted it', async () => {
    expect(await after(accepted, notHandedOver, notified('delivered'))).toMatchObject({
      status: 'sent',
      counts: { accepted: 1, sent: 1, failed: 0, unknown: 0, retry_requested: 1 },
    });
  });
});

describe('A message being sent', () => {
  it('counts as unknown until its hand-over is reported', async () => {
    expect(await after(accepted)).toMatchObject({
      status: 'accepted',
      result: 'unknown',
      counts: { accepted: 2, sent: 0, failed: 0, unknown: 2 },
    });
  });
});

describe('The timeline', () => {
  it('places an interruption that was detected late before the delivery, and describes its consequence', async () => {
    const shown = await after(
      accepted,
      notified('delivered', { at: at(17) }),
      interrupted,
      notified('delivered', { index: 1, at: at(70) }),
    );
    expect(kinds(shown)).toEqual([
      'accepted',
      'interrupted',
      `handed_over ${ADA}`,
      `delivered ${ADA}`,
      `handed_over ${BOB}`,
      `delivered ${BOB}`,
    ]);
    expect(shown.timeline.map(entry => entry.at)).toEqual([at(0), at(50), at(17), at(17), at(70), at(70)]);
    expect(shown.timeline[1]?.detail).toBe(
      "interrupted: the relay's answer was not recorded; later reports show that it accepted the message",
    );
  });

  it('names the recipients without a known result', async () => {
    const shown = await after(accepted, interrupted, notified('delivered', { at: at(70) }));
    expect(shown.timeline[1]?.detail).toBe(`interrupted: outcome unknown for ${BOB}`);
    expect((await after(accepted, interrupted)).timeline[1]?.detail).toBe('interrupted: outcome unknown');
  });

  it('is in causal order even if the clocks of the services differ', async () => {
    const shown = await after(
      opened(-30),
      notified('delivered', { at: at(-20) }),
      handedOver(copy(0, { at: at(-1) }), copy(1, { result: 'deferred', smtp_response: '451 busy', at: at(90) })),
      accepted,
      retried(copy(1, { at: at(60) })),
      notified('delivered', { index: 1, at: at(10) }),
    );
    const order = kinds(shown);
    expect(order[0]).toBe('accepted');
    expect(order.filter(kind => kind.endsWith(ADA))).toEqual([
      `handed_over ${ADA}`,
      `delivered ${ADA}`,
      `opened ${ADA}`,
    ]);
    expect(order.filter(kind => kind.endsWith(BOB))).toEqual([
      `deferred ${BOB}`,
      `handed_over ${BOB}`,
      `delivered ${BOB}`,
    ]);
  });
});

/** The order of kinds for one recipient; an interruption precedes all reports. */
const RANKS: Readonly<Record<string, number>> = {
  accepted: 0,
  deferred: 1,
  refused: 2,
  expired: 2,
  suppressed: 2,
  outcome_unknown: 2,
  handed_over: 2,
  delivered: 3,
  opened: 4,
  clicked: 4,
  complained: 4,
};

describe('Signals in any order, repeated and with any clock', () => {
  it('lead to the result of their scenario', async () => {
    await fc.assert(
      fc.asyncProperty(
        emailScenario,
        fc.infiniteStream(fc.nat()),
        fc.integer({ min: 0, max: 2 }),
        async (scenario, random, repeats) => {
          const recipients = scenario.copies.map((_, index) => ({
            index,
            address: `user${index}@x.test`,
            role: 'to' as const,
          }));
          const signals = signalsOf(
            { ...FACTS, recipients },
            scenario,
            seconds => seconds + ((random.next().value ?? 0) % 61) - 30,
          );
          // The deadline is days after all other signals.
          const early = signals.filter(({ kind }) => kind !== 'deadline_passed');
          const late = signals.filter(({ kind }) => kind === 'deadline_passed');
          const many = [...early, ...early.slice(0, repeats).filter(({ kind }) => kind !== 'copy_retried')];
          const shuffled = many
            .map(signal => ({ signal, place: random.next().value ?? 0 }))
            .sort((a, b) => a.place - b.place)
            .map(({ signal }) => signal);
          const shown = await after(...shuffled, ...late);

          const { counts } = shown;
          expect(counts).toMatchObject(countsOfScenarios([scenario]));
          expect(counts.accepted).toBe(counts.sent + counts.failed + counts.unknown);
          expect(shown.recipients.map(({ result }) => result)).toEqual(
            scenario.copies.map(one => resultOfScenario(scenario, one)),
          );
          for (const [index, { evidence }] of scenario.copies.entries()) {
            if (evidence.length === 0) continue;
            expect(shown.recipients[index]?.state).not.toBe('unknown');
            expect(shown.recipients[index]?.state).not.toBe('not_sent');
          }
          for (const { address } of recipients) {
            const entries = shown.timeline.filter(({ recipient }) => recipient === null || recipient === address);
            const ranks = entries.flatMap(({ kind }) => RANKS[kind] ?? []);
            expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
            const firstReport = entries.findIndex(({ kind }) => (RANKS[kind] ?? 0) > 2);
            const end = entries.findIndex(({ kind }) => kind === 'interrupted' || kind === 'not_handed_over');
            if (firstReport >= 0) expect(end).toBeLessThan(firstReport);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
