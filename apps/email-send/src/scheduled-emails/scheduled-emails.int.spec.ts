import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Sender } from '../api-keys/ports.js';
import { HOUR_MS, type Scheduled, ScheduledEmailsFixture } from '../testing/scheduled-emails-fixture.js';
import { refusalOf, request, type SendingFixture } from '../testing/sending-fixture.js';

let fixture: ScheduledEmailsFixture;
let sending: SendingFixture;

beforeAll(async () => {
  fixture = await ScheduledEmailsFixture.start();
  ({ sending } = fixture);
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

describe('A scheduled message', () => {
  it('is sent once, at its time, and is then an ordinary message', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['at@x.test'] });
    expect(scheduled).toEqual({ id: scheduled.id, send_at: expect.any(String), state: 'scheduled' });
    await fixture.runAfter(0.9);
    expect(fixture.copiesTo('at@x.test')).toHaveLength(0);
    await fixture.runAfter(1.1);
    await fixture.runAfter(1.2);
    expect(fixture.copiesTo('at@x.test')).toHaveLength(1);
    const sent = await fixture.get(keyHash, scheduled);
    expect(sent).toEqual({ ...scheduled, state: 'sent', email_id: expect.any(String) });
    expect((await sending.events(sent.email_id!)).map(({ type }) => type)).toEqual([
      'email-send.email-accepted.v1',
      'email-send.email-handed-over.v1',
    ]);
    expect(await fixture.row(scheduled)).toMatchObject({ sealed: null, claim: null });
  });

  it('is stored once if the request is repeated under the same id', async () => {
    const { keyHash } = sending.sender();
    const sent = {
      api_key_hash: keyHash,
      scheduled_email_id: uuidv7(),
      send_at: new Date(Date.now() + HOUR_MS).toISOString(),
      email: request(keyHash).email,
    };
    const { schedule: handler } = fixture.inProcess();
    expect(await handler.execute(sent)).toEqual(await handler.execute(sent));
    expect(await sending.count('scheduled_emails')).toBe(1);
  });

  it.each<[string, Parameters<typeof request>[1], Partial<Sender>, string]>([
    ['an invalid recipient', { to: ['ada'] }, {}, 'email.to[0]: '],
    ['no content', { text: '' }, {}, 'email.message: '],
    ['a recipient outside of the sandbox', {}, { mode: 'sandbox' }, 'ada@x.test is not a verified sandbox recipient'],
  ])('is refused for %s', async (_, changes, sender, message) => {
    const { keyHash } = sending.sender(sender);
    expect(await refusalOf(fixture.schedule(keyHash, changes))).toMatchObject({
      message: expect.stringContaining(message),
    });
    expect(await sending.count('scheduled_emails')).toBe(0);
  });

  it('is refused for a time that is too near or too far', async () => {
    const { keyHash } = sending.sender();
    for (const ms of [30_000, 31 * 24 * HOUR_MS])
      expect(await refusalOf(fixture.schedule(keyHash, {}, new Date(Date.now() + ms)))).toMatchObject({
        code: 'invalid_email',
        message: expect.stringContaining('send_at: must be at'),
      });
  });

  it('contains no text of the message in the database', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['secret-person@x.test'], text: 'secret-content' });
    expect(JSON.stringify(await fixture.row(scheduled))).not.toContain('secret');
  });

  it('is not found by another service', async () => {
    const scheduled = await fixture.schedule(sending.sender().keyHash);
    const other = sending.sender().keyHash;
    expect(await refusalOf(fixture.get(other, scheduled))).toMatchObject({ code: 'scheduled_email_not_found' });
    const { requests } = fixture.inProcess();
    const named = { api_key_hash: other, scheduled_email_id: scheduled.id };
    expect(await refusalOf(requests.cancel(named))).toMatchObject({ code: 'scheduled_email_not_found' });
    expect(await requests.list({ api_key_hash: other, limit: 20, offset: 0 })).toMatchObject({ items: [], total: 0 });
  });
});

describe('A scheduled message that waits', () => {
  it('can be moved to another time', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['moved@x.test'] });
    const send_at = new Date(Date.now() + 3 * HOUR_MS).toISOString();
    const moved = await fixture.inProcess().requests.reschedule({
      api_key_hash: keyHash,
      scheduled_email_id: scheduled.id,
      send_at,
    });
    expect(moved).toEqual({ ...scheduled, send_at });
    await fixture.runAfter(2);
    expect(fixture.copiesTo('moved@x.test')).toHaveLength(0);
    await fixture.runAfter(3.1);
    expect(fixture.copiesTo('moved@x.test')).toHaveLength(1);
  });

  it('can be cancelled, repeatedly, and is then not sent', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['never@x.test'] });
    const { requests } = fixture.inProcess();
    const named = { api_key_hash: keyHash, scheduled_email_id: scheduled.id };
    expect(await requests.cancel(named)).toEqual({ ...scheduled, state: 'cancelled' });
    expect(await requests.cancel(named)).toEqual({ ...scheduled, state: 'cancelled' });
    await fixture.runAfter(2);
    expect(fixture.copiesTo('never@x.test')).toHaveLength(0);
    expect(await fixture.row(scheduled)).toMatchObject({ sealed: null });
    fixture.aheadMs = 0;
    expect(await refusalOf(requests.reschedule({ ...named, send_at: scheduled.send_at }))).toMatchObject({
      code: 'scheduled_email_not_waiting',
      message: expect.stringContaining('it is cancelled'),
    });
  });

  it('can be listed by state, the latest times first', async () => {
    const { keyHash } = sending.sender();
    const [soon, later] = [
      await fixture.schedule(keyHash),
      await fixture.schedule(keyHash, {}, new Date(Date.now() + 2 * HOUR_MS)),
    ];
    await fixture.runAfter(1.1);
    const { requests } = fixture.inProcess();
    const list = (filter: { state?: Scheduled['state'] } = {}) =>
      requests.list({ api_key_hash: keyHash, limit: 1, offset: 0, ...filter });
    expect(await list()).toEqual({ items: [later], total: 2, limit: 1, offset: 0 });
    expect(await list({ state: 'scheduled' })).toMatchObject({ items: [{ id: later.id }], total: 1 });
    expect(await list({ state: 'sent' })).toMatchObject({ items: [{ id: soon.id }], total: 1 });
  });

  it('is limited to 10,000 for each service', async () => {
    const { keyHash, sender } = sending.sender();
    await fixture.schedule(keyHash);
    await sending.pool.query(
      `INSERT INTO scheduled_emails (id, service_id, key_hash, state, send_at, due_at, attempt_id, recipients, bytes, created_at)
       SELECT gen_random_uuid(), $1, '', 'scheduled', now() + '1 day', now() + '1 day', gen_random_uuid(), '{}', 0, now()
       FROM generate_series(1, 9999)`,
      [sender.serviceId],
    );
    expect(await refusalOf(fixture.schedule(keyHash))).toMatchObject({ code: 'quota_reached' });
    await expect(fixture.schedule(sending.sender().keyHash)).resolves.toMatchObject({ state: 'scheduled' });
  });
});
