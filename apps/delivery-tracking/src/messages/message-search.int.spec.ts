import { afterAll, describe, expect, it } from '@jest/globals';
import { emailAccepted, emailDelivered, emailHandedOver, getTrackedEmail, listEmails } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { notification } from '../testing/example-reports.js';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { sendMail } from '../testing/smtp-conversation.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

type Email = ReturnType<typeof anEmail>;

describe('A message', () => {
  it('has its tags in every event, in its record and in the search', async () => {
    const tags = { campaign: 'spring', note: 'a:b, "c"' };
    const [email, other] = [anEmail({ tags }), anEmail()];
    const { service_id } = email;
    await delivered(email);
    await delivered({ ...other, service_id });
    const { data } = await tracking.event(emailDelivered, email.email_id);
    expect(data).toMatchObject({ tags });
    expect((await tracking.event(emailDelivered, other.email_id)).data).not.toHaveProperty('tags');
    expect(await detailOf(email)).toMatchObject({ tags });
    const found = async (tag: string) => (await tracking.request(listEmails, { service_id, tag })).items;
    await waitFor(async () => (await tracking.request(listEmails, { service_id, state: 'delivered' })).total === 2);
    for (const tag of ['campaign:spring', 'note:a:b, "c"'])
      expect(await found(tag)).toMatchObject([{ id: email.email_id, tags }]);
    expect(await found('campaign:sprin')).toEqual([]);
  });

  it('is found by its Message-ID, and by the address of its recipient', async () => {
    const email = anEmail({ message_id: '4711.a%_B@shop.test' });
    const { service_id, email_id } = email;
    const others = ['4711.a@shop.test', '4711.aXXB@shop.test'].map(message_id => anEmail({ service_id, message_id }));
    for (const one of [email, ...others]) await delivered(one);
    const found = async (filter: object) =>
      (await tracking.request(listEmails, { service_id, ...filter })).items.map(({ id }) => id);
    await waitFor(async () => (await found({ state: 'delivered' })).length === 3);
    for (const message_id of ['4711.a%_B@shop.test', ' <4711.a%_B@shop.test> '])
      expect(await found({ message_id })).toEqual([email_id]);
    for (const message_id of ['4711', '4711.a%_b@shop.test']) expect(await found({ message_id })).toEqual([]);
    expect(await detailOf(email)).toMatchObject({ message_id: '4711.a%_B@shop.test' });
    expect(await found({ search: 'ADA@x.test' })).toHaveLength(3);
    expect(await found({ service_id: anEmail().service_id, message_id: email.message_id })).toEqual([]);
  });
});

const detailOf = ({ service_id, email_id }: Email) => tracking.request(getTrackedEmail, { service_id, email_id });

const delivered = async (email: Email) => {
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  await waitFor(async () => (await detailOf(email)).status !== 'accepted', { describe: 'the hand-over to be known' });
  await sendMail(tracking.smtpPort, { to: tracking.returnPath(email.email_id, 0), message: notification() });
};
