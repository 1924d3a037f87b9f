import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request, SendingFixture } from '../testing/sending-fixture.js';
import { Retention } from './retention.js';

const DAY_MS = 86_400_000;

let fixture: SendingFixture;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterAll(() => fixture.stop());

const removeIn = (days: number) =>
  new Retention(fixture, fixture.settings).removeOldMessages({
    now: new Date(Date.now() + days * DAY_MS),
    signal: new AbortController().signal,
  });

const rows = async () => ({
  events: await fixture.count('event_store.events'),
  records: await fixture.count('emails'),
  bodies: await fixture.count('sealed_email_bodies'),
  requests: await fixture.count('open_requests'),
});

describe('Messages', () => {
  it('are stored for their retention, and removed after it with everything that belongs to them', async () => {
    const process = await fixture.process();
    const { keyHash, sender } = fixture.sender({ perMinuteLimit: 10_000, dailyLimit: 10_000 });
    const send = () => process.sendEmail.execute(request(keyHash));
    const { email } = await send();
    for (let number = 1; number < 600; number++) await send();
    const stored = await rows();
    expect(stored).toMatchObject({ events: 1_200, records: 600, bodies: 600 });
    await removeIn(89);
    expect(await rows()).toEqual(stored);
    await removeIn(91);
    expect(await rows()).toEqual({ events: 0, records: 0, bodies: 0, requests: 0 });
    expect(await process.emails.record(sender.serviceId, email.id)).toBeUndefined();
    const { email: next } = await send();
    await removeIn(89);
    expect(await process.emails.record(sender.serviceId, next.id)).toMatchObject({ id: next.id });
  }, 60_000);
});
