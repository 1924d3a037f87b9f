import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, getEmail, sendEmail } from '@postern/contracts';
import type { RunningService } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { EmailSendFixture } from './testing/email-send-fixture.js';
import { refusalOf, request } from './testing/sending-fixture.js';

let fixture: EmailSendFixture;
let service: RunningService;

beforeAll(async () => {
  fixture = await EmailSendFixture.start();
  service = await fixture.service();
});
afterAll(async () => {
  await service.stop();
  await fixture.stop();
});

describe('email-send as a service', () => {
  it('sends with a key from the dashboard, and returns the same record by id', async () => {
    const { keyHash } = await fixture.sandbox('owner@x.test');
    const { email } = await fixture.client.request(sendEmail, request(keyHash, { to: ['owner@x.test'] }));
    expect(email).toMatchObject({ status: 'sent', mode: 'sandbox', to: ['owner@x.test'] });
    expect(await fixture.client.request(getEmail, { api_key_hash: keyHash, email_id: email.id })).toEqual(email);
    const mail = await fixture.smtp.nextMessage();
    expect(mail.from).toMatch(/^b\+[a-z0-9]+@bounce\.test$/);
    expect(mail.raw.toString()).toMatch(/^From: Postern Sandbox <sandbox@sandbox\.test>/m);
  });

  it('publishes its events to the other services, in order', async () => {
    const { keyHash, serviceId } = await fixture.sandbox('owner@x.test');
    await fixture.client.request(sendEmail, request(keyHash, { to: ['owner@x.test'] }));
    const ofService = () =>
      fixture.received.filter(({ data }) => data.service_id === serviceId).map(({ type }) => type.split('.')[1]);
    await waitFor(() => ofService().length >= 3, { timeoutMs: 10_000, describe: () => `received ${ofService()}` });
    expect(ofService()).toEqual(['email-service-created', 'email-accepted', 'email-handed-over']);
  });

  it('shows no email of one service to the key of another', async () => {
    const [own, other] = [await fixture.sandbox('owner@x.test'), await fixture.sandbox('owner@x.test')];
    const { email } = await fixture.client.request(sendEmail, request(own.keyHash, { to: ['owner@x.test'] }));
    const asOther = { api_key_hash: other.keyHash, email_id: email.id };
    expect(await refusalOf(fixture.client.request(getEmail, asOther))).toMatchObject({ code: 'email_not_found' });
  });

  it('returns the service of a key', async () => {
    const { keyHash, serviceId } = await fixture.sandbox('owner@x.test');
    expect(await fixture.client.request(authenticateApiKey, { api_key_hash: keyHash })).toEqual({
      service_id: serviceId,
    });
    expect(await refusalOf(fixture.client.request(authenticateApiKey, { api_key_hash: 'f'.repeat(64) }))).toMatchObject(
      { code: 'api_key_invalid' },
    );
  });

  it('enforces the daily limit of a sandbox service and returns when to retry', async () => {
    const { keyHash } = await fixture.sandbox('owner@x.test');
    const outcomes = await Promise.all(
      Array.from({ length: 55 }, () =>
        fixture.client.request(sendEmail, request(keyHash, { to: ['owner@x.test'] })).then(
          () => 'sent',
          ({ code }: { code: string }) => code,
        ),
      ),
    );
    expect(outcomes.filter(outcome => outcome === 'sent')).toHaveLength(50);
    expect(outcomes.filter(outcome => outcome === 'daily_limit_reached')).toHaveLength(5);
  });

  it('shuts down gracefully and continues with the same data after a restart', async () => {
    const { keyHash } = await fixture.sandbox('owner@x.test');
    const { email } = await fixture.client.request(sendEmail, request(keyHash, { to: ['owner@x.test'] }, 'restart'));
    expect(await service.stop()).toBe(true);
    service = await fixture.service();
    expect(
      await fixture.client.request(sendEmail, request(keyHash, { to: ['owner@x.test'] }, 'restart')),
    ).toMatchObject({
      replayed: true,
      email,
    });
  });
});
