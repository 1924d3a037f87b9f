import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type DataOf,
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailOpened,
  getTrackedEmail,
  listEmails,
  recordOpen,
} from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { waitFor } from '@postern/testing';
import fc from 'fast-check';
import { BROWSER } from '../testing/example-signals.js';
import { emailScenario, signalsOf } from '../testing/random-emails.js';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { RecordSignals } from './record-signals.js';
import { trackedEmailStream } from './tracked-email-events.js';

type Email = DataOf<typeof emailAccepted>;

const SEED = 20_261_128;

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const typesOf = async ({ email_id }: Email) =>
  (
    await tracking.query(
      'SELECT type FROM event_store.events WHERE stream_id = $1 ORDER BY version',
      trackedEmailStream(email_id),
    )
  ).map(({ type }) => type.replace(/^delivery-tracking\.|\.v1$/g, ''));
const detailOf = ({ service_id, email_id }: Email) => tracking.request(getTrackedEmail, { service_id, email_id });
const kindsOf = async (email: Email): Promise<string[]> => (await detailOf(email)).timeline.map(({ kind }) => kind);
const retryOf = ({ email_id, service_id }: Email, change: Parameters<typeof handOverOf>[1] = {}) => {
  const [outcome] = handOverOf(anEmail(), change).outcomes;
  return { email_id, service_id, outcome: outcome! };
};

const opened = (email: Email, minute = 1) => ({
  email_id: email.email_id,
  recipient_index: 0,
  user_agent: BROWSER,
  ip: '192.0.2.7',
  at: new Date(Date.now() + minute * 60_000).toISOString(),
});

const published = async (email: Email, outcome: Parameters<typeof handOverOf>[1] = {}) => {
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email, outcome)]);
  await waitFor(async () => (await kindsOf(email).catch(() => [])).length > 1, {
    describe: 'the hand-over to be known',
  });
};
const DEFERRED = { result: 'deferred', smtp_response: '451 later' } as const;
const REFUSED = { result: 'refused', smtp_response: '550 5.1.1 no' } as const;

/** Everything in the tables of the projection. */
const readModel = async () => {
  await tracking.caughtUp();
  return {
    emails: await tracking.query('SELECT * FROM tracked_emails ORDER BY id'),
    others: await tracking.query('SELECT * FROM tracked_other_recipients ORDER BY 1, 2, 3, 4'),
    counts: await tracking.query('SELECT * FROM daily_email_counts ORDER BY 1, 2'),
    simulated: await tracking.query('SELECT * FROM daily_simulator_counts ORDER BY 1, 2'),
  };
};

const rebuild = () => tracking.part(ProjectionRunner).rebuild('tracked-emails');

/** Random messages with everything that can happen to them, in any order. */
const record = async (count: number, seed = SEED) => {
  const scenarios = fc.sample(emailScenario, { seed, numRuns: count });
  const signals = scenarios.flatMap(scenario => {
    const email = anEmail({
      recipients: scenario.copies.map((_, index) => ({ index, address: `user${index}@x.test`, role: 'to' })),
      tags: { kind: 'random' },
    });
    const metadata = { correlationId: email.email_id };
    return signalsOf(email, scenario).map(signal => ({ emailId: email.email_id, signal, metadata }));
  });
  const places = fc.sample(fc.nat(), { seed, numRuns: signals.length });
  const shuffled = signals.map((one, index) => ({ one, place: places[index]! })).sort((a, b) => a.place - b.place);
  for (let start = 0; start < shuffled.length; start += 23)
    await tracking.part(RecordSignals).execute(shuffled.slice(start, start + 23).map(({ one }) => one));
};

describe('A message that nothing has been reported about', () => {
  it('has a row and a timeline, and no event in the log of this service', async () => {
    const email = anEmail();
    await published(email);
    expect(await typesOf(email)).toEqual([]);
    expect(await kindsOf(email)).toEqual(['accepted', 'handed_over']);
    expect((await tracking.request(listEmails, { service_id: email.service_id })).items).toMatchObject([
      { id: email.email_id, status: 'sent', recipients: [{ state: 'handed_over' }] },
    ]);
  });

  it('has a stream from the first report on, which contains what this service decided alone', async () => {
    const email = anEmail();
    await published(email, DEFERRED);
    await tracking.request(recordOpen, opened(email));
    await tracking.event(emailOpened, email.email_id);
    expect(await typesOf(email)).toEqual(['email-opened']);
    await tracking.publish([emailCopyRetried, retryOf(email, REFUSED)]);
    await waitFor(async () => (await typesOf(email)).length === 2);
    expect(await typesOf(email)).toEqual(['email-opened', 'email-bounced']);
    expect(await kindsOf(email)).toEqual(['accepted', 'deferred', 'refused', 'handed_over', 'opened', 'bounced']);
  });

  it('is reported in the trace in which it was sent', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const email = anEmail();
    const signal = { kind: 'accepted', data: email } as const;
    await tracking
      .part(RecordSignals)
      .execute([{ emailId: email.email_id, signal, metadata: { correlationId: randomUUID(), traceparent } }]);
    await tracking.request(recordOpen, opened(email));
    await waitFor(async () => (await typesOf(email)).length === 1);
    const [{ metadata }] = await tracking.query(
      'SELECT metadata FROM event_store.events WHERE stream_id = $1',
      trackedEmailStream(email.email_id),
    );
    expect(metadata.traceparent).toMatch(/^00-[0-9a-f]{32}-/);
  });
});

describe('The rows of messages', () => {
  it('are the same after a rebuild', async () => {
    await record(60);
    const before = await readModel();
    await expect(rebuild()).resolves.toBe(true);
    expect(await readModel()).toEqual(before);
  });

  it('are the same after a rebuild during which messages arrive', async () => {
    const writing = Promise.all([record(40, 1), record(40, 2), record(40, 3)]);
    for (let round = 0; round < 3; round++) await expect(rebuild()).resolves.toBe(true);
    await writing;
    const before = await readModel();
    await expect(rebuild()).resolves.toBe(true);
    expect(await readModel()).toEqual(before);
  });

  it('are the same after they are lost, read again from the log of email-send, and rebuilt', async () => {
    const emails = Array.from({ length: 5 }, () => anEmail());
    for (const email of emails) await published(email);
    await tracking.publish([emailCopyRetried, retryOf(emails[0]!, REFUSED)]);
    await waitFor(async () => (await typesOf(emails[0]!)).includes('email-bounced'));
    await tracking.request(recordOpen, opened(emails[1]!));
    await tracking.event(emailOpened, emails[1]!.email_id);
    const ids = emails.map(({ email_id }) => email_id);
    const rows = async () => {
      await tracking.caughtUp();
      return tracking.query('SELECT * FROM tracked_emails WHERE id = ANY ($1) ORDER BY id', ids);
    };
    const before = await rows();
    await tracking.query('DELETE FROM tracked_emails WHERE id = ANY ($1)', ids);
    await tracking.query("UPDATE event_store.followers SET epoch = NULL, event_id = NULL, txid = '0', pos = 0");
    await published(anEmail());
    await waitFor(async () => (await rows()).length === emails.length, { describe: 'the log to be read again' });
    await rebuild();
    expect(await rows()).toEqual(before);
    expect(await typesOf(emails[0]!)).toEqual(['email-bounced']);
  });
});
