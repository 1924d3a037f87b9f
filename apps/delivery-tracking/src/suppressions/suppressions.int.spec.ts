import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  addSuppressions,
  emailAccepted,
  emailBounced,
  emailHandedOver,
  exportSuppressions,
  liftSuppression,
  listSuppressedAddresses,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const suppressed = async (service_id: string): Promise<string[]> =>
  (await tracking.request(listSuppressedAddresses, { service_id })).items.map(({ address }) => address);

describe('A suppressed address', () => {
  it('is listed in its normalized form and removed in any spelling', async () => {
    const email = anEmail({ recipients: [{ index: 0, address: '"Ada"@BÜCHER.test', role: 'to' }] });
    const { service_id, email_id } = email;
    const refused = handOverOf(email, { result: 'refused', smtp_response: '550 5.1.1 no such user' }, 'failed');
    await tracking.publish([emailAccepted, email], [emailHandedOver, refused]);
    await tracking.event(emailBounced, email_id);
    await waitFor(async () => (await suppressed(service_id)).length === 1, { describe: 'the address to be listed' });
    expect(await suppressed(service_id)).toEqual(['ada@xn--bcher-kva.test']);

    const removal = { service_id, address: ' ADA@bücher.test' };
    await tracking.request(liftSuppression, removal);
    expect(await suppressed(service_id)).toEqual([]);
    await expect(tracking.request(liftSuppression, removal)).rejects.toMatchObject({ code: 'suppression_not_found' });
  });
});

describe('A user of the dashboard', () => {
  const listed = async (service_id: string, search?: string) =>
    (await tracking.request(listSuppressedAddresses, { service_id, ...(search === undefined ? {} : { search }) }))
      .items;

  it('adds one address, which is listed at once and can be removed', async () => {
    const service_id = randomUUID();
    const reply = await tracking.request(addSuppressions, { service_id, address: ' Ada <ADA@bücher.test>' });
    expect(reply).toEqual({ added: ['ada@xn--bcher-kva.test'], already_listed: [], refused: [] });
    expect(await listed(service_id)).toEqual([
      { address: 'ada@xn--bcher-kva.test', reason: 'added', email_id: null, at: expect.any(String) },
    ]);

    await tracking.request(liftSuppression, { service_id, address: 'ada@xn--bcher-kva.test' });
    expect(await listed(service_id)).toEqual([]);
  });

  it('imports many addresses; malformed ones are returned, known ones stay as they are', async () => {
    const service_id = randomUUID();
    const addresses = Array.from({ length: 500 }, (_, n) => `a${n}@x.test`);
    await tracking.request(addSuppressions, { service_id, address: 'a7@x.test' });
    const reply = await tracking.request(addSuppressions, {
      service_id,
      addresses: [...addresses, '', 'a@@b', 'A1@x.test'],
    });

    expect(reply.added).toHaveLength(499);
    expect(reply.already_listed).toEqual(['a7@x.test']);
    expect(reply.refused).toEqual([{ address: 'a@@b', reason: expect.stringContaining('more than one "@"') }]);
    expect((await tracking.request(listSuppressedAddresses, { service_id })).total).toBe(500);
  });

  it.each([
    ['a malformed address', { address: 'a@@b' }, 'more than one "@"'],
    ['nothing', {}, 'address: give an address or a list of addresses'],
    ['both an address and a list', { address: 'a@b.c', addresses: ['d@e.f'] }, 'addresses: not together with address'],
  ])('cannot add %s', async (_, request, reason) => {
    const adding = tracking.request(addSuppressions, { service_id: randomUUID(), ...request });
    await expect(adding).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining(reason) });
  });

  it('finds addresses by a part of them; the wildcards of SQL are text', async () => {
    const service_id = randomUUID();
    await tracking.request(addSuppressions, { service_id, addresses: ['a_b@x.test', 'acb@x.test', '50%@x.test'] });
    const found = async (search: string) => (await listed(service_id, search)).map(({ address }) => address).sort();

    expect(await found('B@X')).toEqual(['a_b@x.test', 'acb@x.test']);
    expect(await found('a_b')).toEqual(['a_b@x.test']);
    expect(await found('%')).toEqual(['50%@x.test']);
  });

  it('exports all entries of one service, in steps', async () => {
    const [service_id, other] = [randomUUID(), randomUUID()];
    await tracking.request(addSuppressions, { service_id: other, address: 'other@x.test' });
    const many = (from: number) => Array.from({ length: 600 }, (_, n) => `e${from + n}@x.test`);
    for (const from of [0, 600]) await tracking.request(addSuppressions, { service_id, addresses: many(from) });
    const first = await tracking.request(exportSuppressions, { service_id, after: null });
    const second = await tracking.request(exportSuppressions, { service_id, after: first.after });

    const exported = [...first.entries, ...second.entries].map(({ address }) => address);
    expect([first.entries.length, second.entries.length, second.after]).toEqual([1_000, 200, null]);
    expect(exported).toEqual([...many(0), ...many(600)].sort());
  });
});
