import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@postern/event-sourcing/postgres';
import type { PersonalErasure } from '@postern/service-host';
import { Retention } from '../retention/retention.js';
import { HOUR_MS, ScheduledEmailsFixture } from '../testing/scheduled-emails-fixture.js';
import type { SendingFixture } from '../testing/sending-fixture.js';
import { EraseScheduledEmails } from './erase-scheduled-emails.js';

let fixture: ScheduledEmailsFixture;
let sending: SendingFixture;

beforeAll(async () => {
  fixture = await ScheduledEmailsFixture.start();
  ({ sending } = fixture);
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

describe('An erasure', () => {
  const erasure = (address: string): PersonalErasure => ({
    address,
    replacement: 'erased-1@erased.invalid',
    forms: [address],
    traces: [address],
    redact: value => {
      const text = JSON.stringify(value);
      return text.includes(address)
        ? (JSON.parse(text.replaceAll(address, 'erased-1@erased.invalid')) as unknown)
        : undefined;
    },
    redactId: () => undefined,
  });
  const erase = (address: string) =>
    inTransaction(sending.pool, tx => new EraseScheduledEmails(fixture.seal).erase(erasure(address), undefined, tx));

  it('cancels a message to the person alone', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['Mary <Mary@x.test>'] });
    expect(await erase('mary@x.test')).toEqual({ erased: { scheduled_emails: 1 } });
    expect(await fixture.get(keyHash, scheduled)).toEqual({
      ...scheduled,
      state: 'cancelled',
      error: 'a recipient was erased',
    });
    expect(await fixture.row(scheduled)).toMatchObject({ sealed: null, sealed_summary: null, recipients: [] });
    expect(await erase('mary@x.test')).toEqual({ erased: { scheduled_emails: 0 } });
  });

  it('leaves a message to the other recipients, without the address', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, {
      to: ['ada@x.test', 'mary@x.test'],
      bcc: ['mary@x.test'],
      text: 'For ada@x.test and mary@x.test',
    });
    await erase('mary@x.test');
    const stored = await fixture.row(scheduled);
    expect(fixture.seal.open(scheduled.id, stored.sealed)).toMatchObject({
      to: ['ada@x.test'],
      bcc: [],
      text: 'For ada@x.test and erased-1@erased.invalid',
    });
    await fixture.runAfter(1.1);
    expect(sending.smtp.messages.map(({ to }) => to[0]!.address)).toEqual(['ada@x.test']);
  });

  it('forgets what is known about a message that was sent', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['mary@x.test'] });
    await fixture.runAfter(1.1);
    await erase('mary@x.test');
    expect(await fixture.row(scheduled)).toMatchObject({ state: 'sent', sealed_summary: null, recipients: [] });
  });

  it('is repeated while a message to the person is being sent', async () => {
    const { keyHash } = sending.sender();
    await fixture.schedule(keyHash, { to: ['mary@x.test'] });
    fixture.aheadMs = 1.1 * HOUR_MS;
    await fixture.inProcess().repository.claimDue(fixture.clock.now(), 1);
    await expect(erase('mary@x.test')).rejects.toThrow('is being sent');
  });
});

it('A message that ended is deleted after 30 days', async () => {
  const { keyHash } = sending.sender();
  const scheduled = await fixture.schedule(keyHash);
  await fixture.schedule(keyHash, {}, new Date(Date.now() + 29 * 24 * HOUR_MS));
  await fixture.runAfter(1.1);
  const retention = new Retention({ pool: sending.pool }, sending.settings);
  await retention.purgeExpired({ now: new Date(Date.now() + 30 * 24 * HOUR_MS) });
  expect(await sending.count('scheduled_emails')).toBe(2);
  await retention.purgeExpired({ now: new Date(Date.now() + 31 * 24 * HOUR_MS) });
  expect(await fixture.row(scheduled)).toBeUndefined();
  expect(await sending.count('scheduled_emails')).toBe(1);
});
