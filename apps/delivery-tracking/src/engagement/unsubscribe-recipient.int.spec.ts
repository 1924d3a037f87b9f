import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  addressSuppressed,
  emailAccepted,
  emailHandedOver,
  getTrackedEmail,
  liftSuppression,
  listSuppressedAddresses,
  unsubscribeRecipient,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

describe('A recipient who unsubscribes', () => {
  it('is suppressed once, which the timeline shows, and again after the owner removed the address', async () => {
    const email = anEmail();
    const { service_id, email_id } = email;
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
    const at = new Date().toISOString();
    const unsubscribe = (time: string) =>
      tracking.request(unsubscribeRecipient, { email_id, recipient_index: 0, at: time });
    await unsubscribe(at);
    await unsubscribe(at);
    await tracking.event(addressSuppressed, email_id);
    const list = () => tracking.request(listSuppressedAddresses, { service_id });
    await waitFor(async () => (await list()).total === 1, { describe: 'the address to be listed' });
    const entry = { address: 'ada@x.test', reason: 'unsubscribed', email_id, at: expect.any(String) };
    expect((await list()).items).toEqual([entry]);
    const { timeline } = await tracking.request(getTrackedEmail, { service_id, email_id });
    expect(timeline.filter(({ kind }) => kind === 'unsubscribed')).toEqual([
      { at, kind: 'unsubscribed', recipient: 'ada@x.test', detail: expect.stringContaining('suppressed') },
    ]);

    await tracking.request(liftSuppression, { service_id, address: 'ada@x.test' });
    await unsubscribe(at);
    expect((await list()).total).toBe(0);
    await unsubscribe(new Date(Date.parse(at) + 120_000).toISOString());
    await waitFor(async () => (await list()).total === 1, { describe: 'the address to be listed again' });
  });

  it('of an unknown message or copy changes nothing', async () => {
    const email = anEmail();
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
    const at = new Date().toISOString();
    await tracking.request(unsubscribeRecipient, { email_id: randomUUID(), recipient_index: 0, at });
    await tracking.request(unsubscribeRecipient, { email_id: email.email_id, recipient_index: 9, at });
    expect((await tracking.request(listSuppressedAddresses, { service_id: email.service_id })).total).toBe(0);
  });
});
