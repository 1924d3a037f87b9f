import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addressSuppressed,
  emailAccepted,
  emailBounced,
  emailHandedOver,
  liftSuppression,
  listSuppressions,
} from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

let tracking: RunningTracking;

beforeAll(async () => {
  tracking = await RunningTracking.start();
}, 60_000);
afterAll(() => tracking?.stop());

const suppressed = async (service_id: string): Promise<string[]> =>
  (await tracking.request(listSuppressions, { service_id })).items.map(({ address }) => address);

describe('A suppressed address', () => {
  it('is listed in its normal form and removed in any spelling', async () => {
    const email = anEmail({ recipients: [{ index: 0, address: '"Ada"@BÜCHER.test', role: 'to' }] });
    const { service_id, email_id } = email;
    const refused = handOverOf(email, { result: 'refused', smtp_response: '550 5.1.1 no such user' }, 'failed');
    await tracking.publish([emailAccepted, email], [emailHandedOver, refused]);
    await tracking.event(emailBounced, email_id);
    await waitFor(async () => (await suppressed(service_id)).length === 1, { describe: 'the address to be listed' });
    expect(await suppressed(service_id)).toEqual(['ada@xn--bcher-kva.test']);

    await tracking.request(liftSuppression, { service_id, address: ' ADA@bücher.test' });
    expect(await suppressed(service_id)).toEqual([]);
  });

  it('can be removed in the spelling that an earlier release listed', async () => {
    const service_id = randomUUID();
    const address = '"ada"@x.test';
    const data = { service_id, address, reason: 'complaint', email_id: randomUUID(), at: new Date().toISOString() };
    const store = tracking.service.app.get(EventStore, { strict: false });
    await store.append(`suppression-${service_id}-${address}`, [{ type: addressSuppressed.type, data }], {
      expectedVersion: 0,
      metadata: { correlationId: 'test' },
    });
    await waitFor(async () => (await suppressed(service_id)).length === 1, { describe: 'the address to be listed' });

    await tracking.request(liftSuppression, { service_id, address });
    expect(await suppressed(service_id)).toEqual([]);
    await expect(tracking.request(liftSuppression, { service_id, address })).rejects.toMatchObject({
      code: 'suppression_not_found',
    });
  });
});
