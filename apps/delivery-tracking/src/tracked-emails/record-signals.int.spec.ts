import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type DataOf,
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  getEmailStats,
  getTrackedEmail,
  listEmails,
} from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { EmailSignals } from './email-signals.js';
import { RecordSignals } from './record-signals.js';
import { type EmailEvent, TrackEmails } from './track-emails.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

describe('A batch of events', () => {
  it('records each event once, even when it is delivered repeatedly and concurrently', async () => {
    const email = anEmail();
    const batch = [event(emailAccepted, email), retryOf(email), retryOf(email)];
    const track = tracking.part(TrackEmails);
    await Promise.all([track.on(batch), track.on(batch), track.on([...batch].reverse())]);
    const late = [...batch, event(emailHandedOver, handOverOf(email))];
    await track.on([...late, ...late]);
    expect(await kindsInTimelineOf(email)).toEqual(['accepted', 'deferred', 'deferred', 'handed_over']);
  });

  it('is recorded as a whole or not at all', async () => {
    const email = anEmail();
    const stray = { ...retryOf(anEmail()), metadata: { correlation_id: 'without \u0000 zero' } };
    await expect(tracking.part(TrackEmails).on([event(emailAccepted, email), stray])).rejects.toThrow();
    expect(
      await tracking.query('SELECT 1 FROM event_store.events WHERE stream_id LIKE $1', `%${email.email_id}`),
    ).toEqual([]);
    expect(await tracking.query('SELECT 1 FROM waiting_signals')).toEqual([]);
  });

  it('serializes concurrent signals from several sources', async () => {
    const email = anEmail();
    const { email_id } = email;
    const signals = tracking.part(EmailSignals);
    const metadata = { correlationId: uuidv7() };
    const opens = Array.from({ length: 50 }, (_, minute) => ({
      emailId: email_id,
      metadata,
      signal: {
        kind: 'opened' as const,
        data: {
          email_id,
          recipient_index: 0,
          user_agent: 'PaperPlane/3',
          ip: '192.0.2.7',
          at: new Date(Date.now() + (minute + 1) * 60_000).toISOString(),
        },
      },
    }));
    await Promise.all([
      ...opens.map(({ emailId, signal }) => signals.record(emailId, signal)),
      tracking.part(TrackEmails).on([event(emailAccepted, email), event(emailHandedOver, handOverOf(email))]),
      ...opens.map(open => tracking.part(RecordSignals).execute([open])),
    ]);
    const versions = await tracking.query(
      'SELECT version FROM event_store.events WHERE stream_id LIKE $1',
      `%${email_id}`,
    );
    expect(versions.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, place) => place + 1),
    );
    expect(await tracking.query('SELECT 1 FROM waiting_signals')).toEqual([]);
    await waitFor(() => tracking.kinds(email_id).length === 50, { describe: 'every open to be published once' });
  });
});

describe('The read models', () => {
  it('are the same after a rebuild from the event log while the service runs', async () => {
    const email = anEmail();
    const { service_id } = email;
    await tracking
      .part(TrackEmails)
      .on([
        event(emailAccepted, email),
        event(emailHandedOver, handOverOf(email, { result: 'refused', smtp_response: '550 5.1.1 no' }, 'failed')),
      ]);
    await tracking.caughtUp();
    const today = new Date().toISOString().slice(0, 10);
    const shown = async () => [
      await tracking.request(listEmails, { service_id }),
      await tracking.request(getEmailStats, { service_id, from: today, to: today }),
      await tracking.query('SELECT * FROM suppressed_addresses WHERE service_id = $1', service_id),
    ];
    const before = await shown();
    for (const name of ['tracked-emails', 'suppressed-addresses']) {
      await expect(tracking.part(ProjectionRunner).rebuild(name)).resolves.toBe(true);
    }
    expect(await shown()).toEqual(before);
    expect(before[0]).toMatchObject({ total: 1, items: [{ recipients: [{ state: 'bounced' }] }] });
  });
});

async function kindsInTimelineOf({ service_id, email_id }: DataOf<typeof emailAccepted>) {
  const { timeline } = await tracking.request(getTrackedEmail, { service_id, email_id });
  return timeline.map(({ kind }) => kind);
}

let retries = 0;

function retryOf(email: DataOf<typeof emailAccepted>): EmailEvent {
  const [outcome] = handOverOf(email, {
    result: 'deferred',
    at: new Date(Date.now() + retries++).toISOString(),
  }).outcomes;
  return event(emailCopyRetried, { email_id: email.email_id, service_id: email.service_id, outcome: outcome! });
}

function event<C extends typeof emailAccepted | typeof emailHandedOver | typeof emailCopyRetried>(
  { type }: C,
  data: DataOf<C>,
): EmailEvent {
  const id = uuidv7();
  return {
    id,
    type,
    data,
    stream_id: 'email',
    version: 1,
    occurred_at: new Date().toISOString(),
    metadata: { correlation_id: id },
  } as EmailEvent;
}
