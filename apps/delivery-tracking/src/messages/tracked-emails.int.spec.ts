import { afterAll, describe, expect, it } from '@jest/globals';
import { type DataOf, type emailAccepted, getEmailStats, handOverResult, listEmails } from '@postern/contracts';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import {
  countsOfScenarios,
  type EmailScenario,
  emailScenario,
  resultOfScenario,
  signalsOf,
} from '../testing/random-emails.js';
import { anEmail, RunningTracking } from '../testing/running-tracking.js';
import type { ReceivedSignal } from '../tracked-emails/ports.js';
import { RecordSignals } from '../tracked-emails/record-signals.js';
import { trackedEmails } from '../tracked-emails/tracked-emails.projection.js';

const SEED = 20_260_301;
const MESSAGES = 120;
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'] as const;

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const service_id = uuidv7();
const scenarios = fc.sample(emailScenario, { seed: SEED, numRuns: MESSAGES });
const emails = scenarios.map(({ copies }, number) => ({
  ...anEmail({ service_id }),
  accepted_at: `${DAYS[number % DAYS.length]}T12:00:00.000Z`,
  recipients: copies.map((_, index) => ({ index, address: `user${index}@x.test`, role: 'to' as const })),
}));

describe('The list and the counts of messages', () => {
  it('are correct for any order of arrival and any repetition of signals', async () => {
    await recordInAnyOrder(emails, scenarios);
    await tracking.caughtUp();
    await expectScenarios();
  });

  it('are correct after the read model of another version is replaced', async () => {
    const { pool } = tracking.part(Database);
    // As an earlier version with wrong counts would leave it.
    await pool.query("UPDATE event_store.projections SET version = 1 WHERE name = 'tracked-emails'");
    await pool.query("UPDATE tracked_emails SET result = 'unknown'");
    await pool.query('UPDATE daily_email_counts SET accepted = accepted + 7, unknown = 0, retry_requested = 0');
    const runner = new ProjectionRunner({ store: tracking.part(PostgresEventStore), projections: [trackedEmails] });
    await runner.start();
    await waitFor(async () => (await runner.status())[0]?.version === trackedEmails.version, {
      describe: 'the read model to be rebuilt',
    });
    await runner.stop();
    await expectScenarios();
  });
});

/** Records signals in random order and batches, each twice. */
async function recordInAnyOrder(facts: readonly DataOf<typeof emailAccepted>[], all: readonly EmailScenario[]) {
  const [skews, places] = [71, 72].map(salt => fc.sample(fc.nat(), { seed: SEED + salt, numRuns: 20_000 }));
  let drawn = 0;
  const signals = facts.flatMap((email, number) =>
    signalsOf(email, all[number]!, seconds => seconds + (skews![drawn++]! % 61) - 30).map(
      (signal): ReceivedSignal => ({
        emailId: email.email_id,
        signal,
        metadata: { correlationId: email.email_id },
      }),
    ),
  );
  const early = signals.filter(({ signal }) => signal.kind !== 'deadline_passed');
  const shuffled = [...early, ...early]
    .map((one, index) => ({ one, place: places![index]! }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
  for (let start = 0; start < shuffled.length; start += 37)
    await tracking.part(RecordSignals).execute(shuffled.slice(start, start + 37));
  await tracking.part(RecordSignals).execute(signals.filter(({ signal }) => signal.kind === 'deadline_passed'));
}

async function expectScenarios(): Promise<void> {
  const stats = await tracking.request(getEmailStats, { service_id, from: DAYS[0], to: DAYS[2] });
  expect(stats.total).toMatchObject(countsOfScenarios(scenarios));
  for (const [place, day] of stats.days.entries()) {
    expect(day).toMatchObject({
      date: DAYS[place],
      ...countsOfScenarios(scenarios.filter((_, number) => number % DAYS.length === place)),
    });
    expect(day.accepted).toBe(day.sent + day.failed + (day.unknown ?? Number.NaN));
  }
  let listed = 0;
  for (const result of handOverResult.options) {
    const { total } = await tracking.request(listEmails, { service_id, result });
    expect({ [result]: total }).toEqual({
      [result]: scenarios.filter(scenario => resultOfMessage(scenario) === result).length,
    });
    listed += total;
  }
  expect(listed).toBe(MESSAGES);
}

function resultOfMessage(scenario: EmailScenario) {
  const results = scenario.copies.map(copy => resultOfScenario(scenario, copy));
  return (['sent', 'unknown', 'failed'] as const).find(result => results.includes(result)) ?? 'retry_requested';
}
