import { afterAll, describe, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailHandedOver,
  emailOpened,
  getTrackedEmail,
  listEmails,
  OPERATIONS,
  recordOpen,
} from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { waitFor } from '@postern/testing';
import { BROWSER } from '../testing/example-signals.js';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const ADDRESS = 'Jörg.O’Neil@customers.test';
const OTHER = 'grace@customers.test';
const REPLACEMENT = 'erased-0123456789abcdef@erased.invalid';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const sent = async (addresses: readonly string[]) => {
  const email = anEmail({
    subject: `Dear ${addresses[0]}`,
    recipients: addresses.map((address, index) => ({ index, address, role: 'to' })),
  });
  const response = `250 2.1.5 <${addresses[0]}> queued`;
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email, { smtp_response: response })]);
  await waitFor(async () => (await shown(email)).timeline.length > 1, { describe: 'the hand-over to be known' });
  return email;
};

const shown = ({ service_id, email_id }: ReturnType<typeof anEmail>) =>
  tracking.request(getTrackedEmail, { service_id, email_id });

/** All passes of an erasure in this service. */
const erase = async () => {
  for (let cursor: string | null = null; ; ) {
    const reply: Awaited<ReturnType<typeof step>> = await step(cursor);
    expect(reply.failure).toBeNull();
    if (reply.cursor === null) return Object.fromEntries(reply.erased.map(({ kind, rows }) => [kind, rows]));
    cursor = reply.cursor;
  }
};
const step = (cursor: string | null) =>
  tracking.request(OPERATIONS['delivery-tracking'].eraseRecipientStep, {
    address: ADDRESS,
    replacement: REPLACEMENT,
    cursor,
  });

/** Everything in the tables, as text. */
const stored = async () => {
  const tables = ['tracked_emails', 'tracked_other_recipients', 'event_store.events'];
  const rows = await Promise.all(
    tables.map(table => tracking.query(`SELECT row_to_json(t)::text AS row FROM ${table} AS t`)),
  );
  return rows
    .flat()
    .map(({ row }) => row.toLowerCase())
    .join('\n');
};

describe('An erased recipient', () => {
  it('is in no row of a message, also after a rebuild, and other recipients stay', async () => {
    const alone = await sent([ADDRESS]);
    const first = await sent([ADDRESS, OTHER]);
    const second = await sent([OTHER, ADDRESS]);
    const at = new Date().toISOString();
    const seen = { recipient_index: 0, user_agent: BROWSER, ip: '192.0.2.7', at };
    await tracking.request(recordOpen, { ...seen, email_id: alone.email_id });
    await tracking.event(emailOpened, alone.email_id);
    await tracking.caughtUp();
    expect(await stored()).toContain('customers.test');

    expect(await erase()).toMatchObject({ events: 1, tracked_emails: 3 });

    expect(await stored()).not.toContain('neil');
    expect(await shown(alone)).toMatchObject({ subject: '', recipients: [{ address: REPLACEMENT }] });
    expect(await shown(first)).toMatchObject({
      subject: `Dear ${REPLACEMENT}`,
      recipients: [{ address: REPLACEMENT }, { address: OTHER }],
    });
    const found = async (search: string) =>
      (await tracking.request(listEmails, { service_id: second.service_id, search })).items.map(({ id }) => id);
    expect(await found(REPLACEMENT)).toEqual([second.email_id]);
    expect(await found(OTHER)).toEqual([second.email_id]);

    const rows = () => tracking.query('SELECT * FROM tracked_emails ORDER BY id');
    const before = await rows();
    await tracking.part(ProjectionRunner).rebuild('tracked-emails');
    expect(await rows()).toEqual(before);
    expect(await erase()).toMatchObject({ events: 1, tracked_emails: 3 });
  });
});
