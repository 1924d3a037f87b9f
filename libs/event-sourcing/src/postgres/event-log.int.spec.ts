import { describe, expect, it } from '@jest/globals';
import { freshStores, metadata } from '../testing/store-under-test.js';
import { DeletedOwners, EventLog, type LogPosition, type PostgresEventStore } from './index.js';

const stores = freshStores();
const TYPE = 'test.happened.v1';

const append = async (store: PostgresEventStore, ...numbers: number[]): Promise<void> => {
  for (const number of numbers)
    await store.append(`stream-${number}`, [{ type: TYPE, data: { number } }], { expectedVersion: 'none', metadata });
};

const read = async (log: EventLog, after: LogPosition | null) => {
  const { events, position, restarted } = await log.page({ reader: 'reader', types: [TYPE], after, handled: after });
  return { numbers: events.map(({ data }) => (data as { number: number }).number), position, restarted };
};

/** A log that a reader has read up to number 3, and the position that it would have reached in a longer history. */
const passedReader = async () => {
  const { store, pool } = await stores.fresh();
  const log = new EventLog({ store });
  await append(store, 1, 2, 3);
  const { position } = await read(log, null);
  if (!position) throw new Error('nothing was read');
  // Another process saves the position at once.
  await read(new EventLog({ store }), position);
  const lost = {
    ...position,
    txid: String(BigInt(position.txid) + 1_000n),
    pos: String(BigInt(position.pos) + 2n),
    event_id: crypto.randomUUID(),
  };
  await append(store, 4, 5, 6, 7);
  return { store, pool, position, lost };
};

describe('a restored log that has passed the position of a reader before it asks again', () => {
  it('begins another log, and continues after the last event that both have', async () => {
    const { store, lost } = await passedReader();
    const restores: string[] = [];
    const log = new EventLog({ store, onRestored: cause => restores.push(cause) });
    expect(await read(log, lost)).toMatchObject({ numbers: [4, 5, 6, 7], restarted: true });
    expect(restores).toEqual(['reader had read events that it does not hold']);
  });

  it('gives all events again to a reader that could not handle them, even if deletions may explain the missing event', async () => {
    const { store, pool, lost } = await passedReader();
    await DeletedOwners.record(pool, 'an-owner');
    const log = new EventLog({ store });
    expect((await read(log, lost)).numbers).toEqual([4, 5, 6, 7]);
    expect((await read(new EventLog({ store }), lost)).numbers).toEqual([4, 5, 6, 7]);
  });
});
