import { expect, it } from '@jest/globals';
import type { Decider } from './decider.js';
import { ConcurrencyConflict } from './event-store.js';
import { handleCommand } from './handle-command.js';
import { InMemoryEventStore } from './in-memory-event-store.js';

interface Deposited {
  readonly type: 'account.deposited.v1';
  readonly data: { readonly amount: number };
}

const account: Decider<number, number, Deposited> = {
  initial: 0,
  decide: (amount, balance) => {
    if (amount < 0) throw new Error('an amount is positive');
    return amount === 0 || balance >= 100 ? [] : [{ type: 'account.deposited.v1', data: { amount } }];
  },
  evolve: (balance, { data }) => balance + data.amount,
};
const metadata = { correlationId: 'request-1' };

/** Simulates another writer between the load and the append, a given number of times. */
class ContestedStore extends InMemoryEventStore {
  appends = 0;

  constructor(private races: number) {
    super();
  }

  override async append(...[streamId, events, options]: Parameters<InMemoryEventStore['append']>) {
    this.appends++;
    if (this.races-- > 0)
      await super.append(streamId, [{ type: 'account.deposited.v1', data: { amount: 1 } }], {
        expectedVersion: 'any',
        metadata,
      });
    return super.append(streamId, events, options);
  }
}

it('appends the events of the decider and returns the new state', async () => {
  const store = new InMemoryEventStore();
  await handleCommand(store, account, 'a', 5, metadata);
  const handled = await handleCommand(store, account, 'a', 7, metadata);
  expect(handled).toMatchObject({ state: 12, version: 2, events: [{ version: 2, data: { amount: 7 } }] });
  expect(handled.position).toEqual((await store.readStream('a'))[1]?.position);
});

it('appends nothing when the decider refuses', async () => {
  const store = new InMemoryEventStore();
  await expect(handleCommand(store, account, 'a', -1, metadata)).rejects.toThrow('positive');
  expect(await store.readStream('a')).toEqual([]);
});

it('has no position to wait for when a command changes nothing', async () =>
  expect(await handleCommand(new InMemoryEventStore(), account, 'a', 0, metadata)).toEqual({
    state: 0,
    version: 0,
    events: [],
    position: undefined,
  }));

it('decides again after a conflict, on the new state', async () => {
  const store = new ContestedStore(2);
  expect((await handleCommand(store, account, 'a', 5, metadata)).state).toBe(7);
  expect(store.appends).toBe(3);
});

it('fails after five conflicts', async () => {
  const store = new ContestedStore(Number.POSITIVE_INFINITY);
  await expect(handleCommand(store, account, 'a', 5, metadata)).rejects.toThrow(ConcurrencyConflict);
  expect(store.appends).toBe(5);
});
