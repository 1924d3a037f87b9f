import { afterAll, describe, expect, it } from '@jest/globals';
import { emailAccepted, emailHandedOver, exportEmails, getEmailStats, listEmails } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

type Email = ReturnType<typeof anEmail>;

/** Messages of one service that were handed over. */
const handedOver = async (emails: readonly Email[]) => {
  for (const email of emails) await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  const { service_id } = emails[0]!;
  const known = async () => (await tracking.request(listEmails, { service_id, result: 'sent' })).total;
  await waitFor(async () => (await known()) === emails.length, { describe: 'the messages to be known' });
  return service_id;
};

describe('Statistics by tag', () => {
  it('count the messages with the tag, by day', async () => {
    const spring = anEmail({ tags: { campaign: 'spring', order: '1' } });
    const { service_id, accepted_at } = spring;
    const simulated = anEmail({ service_id, tags: { campaign: 'spring' }, counts: false });
    await handedOver([
      spring,
      anEmail({ service_id, tags: { campaign: 'autumn' } }),
      anEmail({ service_id }),
      simulated,
    ]);
    const date = accepted_at.slice(0, 10);
    const statsOf = async (filter: object) =>
      (await tracking.request(getEmailStats, { service_id, from: date, to: date, ...filter })).days;
    expect(await statsOf({ tag: 'campaign:spring' })).toMatchObject([{ date, accepted: 1, sent: 1 }]);
    expect(await statsOf({ tag: 'campaign:spring', simulator: 'include' })).toMatchObject([{ date, accepted: 2 }]);
    expect(await statsOf({ tag: 'campaign:sprin' })).toMatchObject([{ date, accepted: 0 }]);
    expect(await statsOf({})).toMatchObject([{ date, accepted: 3 }]);
    const other = { service_id: anEmail().service_id, from: date, to: date, tag: 'campaign:spring' };
    expect((await tracking.request(getEmailStats, other)).total.accepted).toBe(0);
  });
});

describe('An export', () => {
  it('has every message of the filter once, newest first, in steps', async () => {
    const first = anEmail({ tags: { campaign: 'spring' } });
    const { service_id } = first;
    const others = Array.from({ length: 3 }, () => anEmail({ service_id, tags: { campaign: 'spring' } }));
    await handedOver([first, ...others, anEmail({ service_id })]);
    const { emails, after } = await tracking.request(exportEmails, { service_id, tag: 'campaign:spring', after: null });
    expect(after).toBeNull();
    expect(emails.map(({ id }) => id).sort()).toEqual([first, ...others].map(({ email_id }) => email_id).sort());
    const times = emails.map(({ accepted_at }) => accepted_at);
    expect(times).toEqual(times.toSorted().reverse());

    const from = emails[1]!;
    const rest = await tracking.request(exportEmails, {
      service_id,
      tag: 'campaign:spring',
      after: `${from.accepted_at} ${from.id}`,
    });
    expect(rest.emails.map(({ id }) => id)).toEqual(emails.slice(2).map(({ id }) => id));
    await expect(tracking.request(exportEmails, { service_id, after: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});
