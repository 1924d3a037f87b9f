import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventsOf, type LogPosition } from '@postern/contracts';
import fc from 'fast-check';
import { z } from 'zod';
import { silentLog } from '../log.js';
import { EventFollower, type FollowerTimes } from './event-follower.js';
import type { ReadPage } from './feed-reader.js';
import type { FollowerMove, FollowerStore } from './follower-store.js';
import type { Envelope } from './handler-calls.js';

const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int() }));
const TIMES: FollowerTimes = { retryLead: 1, poll: 2, collect: 1, passOver: 1, unavailable: { firstMs: 1, maxMs: 2 } };
const EPOCH = '01980000-0000-7000-8000-000000000000';
const PAGE = 5;

const idOf = (n: number) => `01980000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const positionOf = (n: number): LogPosition | null =>
  n === 0 ? null : { epoch: EPOCH, txid: String(n), pos: String(n), event_id: idOf(n) };
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Every step that a crash or an outage can interrupt. */
const FAULTS = ['read', 'handler-before', 'handler-after', 'commit-before', 'commit-after', 'lead'] as const;
type Fault = (typeof FAULTS)[number];

/** What is written in one transaction. */
interface Transaction {
  readonly effects: number[];
  readonly setAside: number[];
}

/** What survives a crash: the log of the source, and the position and effects in the database of the consumer. */
class World {
  length = 0;
  position: LogPosition | null | undefined;
  readonly effects: number[] = [];
  readonly setAside: number[] = [];
  readonly poison = new Set<number>();
  faults: Fault[] = [];

  /** Fails if this step is the next to fail. */
  step(fault: Fault): void {
    if (this.faults[0] !== fault) return;
    this.faults.shift();
    throw new Error(fault);
  }

  readonly feed = {
    read: async (after: LogPosition | null): Promise<ReadPage> => {
      this.step('read');
      const from = Number(after?.pos ?? 0);
      const to = Math.min(this.length, from + PAGE);
      const events = numbers(from + 1, to).map(n => ({
        id: idOf(n),
        type: counted.type,
        stream_id: 'counter',
        version: n,
        occurred_at: new Date().toISOString(),
        data: { n },
        metadata: { correlation_id: 'c' },
      }));
      return { events, position: positionOf(to), more: to < this.length, hidden: false, restarted: false };
    },
  };

  readonly store: FollowerStore = {
    lead: async (_consumer, stop, follow) => {
      this.step('lead');
      await follow(stop);
      return true;
    },
    load: async () => this.position,
    move: async (_consumer, _source, { from, to }: FollowerMove, effect) => {
      const transaction: Transaction = { effects: [], setAside: [] };
      await effect?.(transaction);
      this.step('commit-before');
      if ((this.position ?? null)?.event_id !== from?.event_id) return false;
      this.position = to;
      this.effects.push(...transaction.effects);
      this.setAside.push(...transaction.setAside);
      this.step('commit-after');
      return true;
    },
    rehearse: effect => effect({ effects: [], setAside: [] } satisfies Transaction),
  };

  async handle(batch: readonly Envelope[], { effects }: Transaction): Promise<void> {
    this.step('handler-before');
    const taken = batch.map(({ data }) => (data as { n: number }).n);
    if (taken.some(n => this.poison.has(n))) throw new Error('poison');
    effects.push(...taken);
    this.step('handler-after');
  }

  start(): EventFollower {
    const follower = new EventFollower({
      link: { closed: false, subscribe: () => ({ isClosed: () => true, unsubscribe: () => undefined }) as never },
      log: silentLog,
      service: 'delivery-tracking',
      consumer: 'counter',
      source: 'email-send',
      contracts: [counted],
      handlers: {
        repeatable: async () => undefined,
        transactional: (batch, transaction) => this.handle(batch, transaction as Transaction),
      },
      // More than the faults of a round, so that no event is set aside because of them.
      retries: { batchMs: [0, 0, 0, 0, 0], outageMs: 1, poisonMs: [1] },
      feed: this.feed,
      store: this.store,
      setAside: {
        keep: async (transaction, _consumer, { data }) =>
          void (transaction as Transaction).setAside.push((data as { n: number }).n),
        takeDue: async () => undefined,
        failedAgain: async () => undefined,
        settle: async () => true,
      },
      times: TIMES,
    });
    follower.start();
    return follower;
  }

  async until(isReached: () => boolean): Promise<void> {
    for (let turns = 0; turns < 10_000 && !isReached(); turns++) await pause(1);
    expect(isReached()).toBe(true);
  }
}

describe('A consumer', () => {
  it('has every effect once and in order, whichever steps fail and however often it restarts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            appended: fc.integer({ min: 0, max: 12 }),
            faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 4 }),
            restarts: fc.boolean(),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        async rounds => {
          const world = new World();
          let follower = world.start();
          for (const { appended, faults, restarts } of rounds) {
            world.faults = [...faults];
            world.length += appended;
            await pause(2);
            if (!restarts) continue;
            await follower.stop();
            follower = world.start();
          }
          world.faults = [];
          await world.until(() => world.effects.length === world.length);
          await follower.stop();
          expect(world.effects).toEqual(numbers(1, world.length));
          expect(world.setAside).toEqual([]);
        },
      ),
      { numRuns: 60 },
    ));

  it('tells for how long its source has not answered', async () => {
    const world = new World();
    world.faults = Array.from({ length: 20 }, () => 'read');
    const follower = world.start();
    await world.until(() => follower.status.unansweredMs > 5);
    await world.until(() => world.faults.length === 0 && follower.status.unansweredMs === 0);
    await follower.stop();
  });

  it('sets aside the events that fail alone, and continues', async () => {
    const world = new World();
    world.poison.add(2).add(4);
    world.length = 12;
    const follower = world.start();
    await world.until(() => world.effects.length === 10);
    await follower.stop();
    expect(world.setAside).toEqual([2, 4]);
    expect(world.effects).toEqual(numbers(1, 12).filter(n => !world.poison.has(n)));
    expect(world.position).toEqual(positionOf(12));
  });

  it('keeps a page in which every event fails, and sets an event aside when a later one succeeds', async () => {
    const world = new World();
    world.poison.add(1);
    world.length = 1;
    const follower = world.start();
    await pause(50);
    expect(world.setAside).toEqual([]);
    expect(world.position).toBeUndefined();
    expect(follower.status).toMatchObject({ oldestAt: expect.any(Date), unansweredMs: 0 });
    world.length = 2;
    await world.until(() => world.setAside.length === 1);
    await world.until(() => follower.status.oldestAt === undefined);
    await follower.stop();
    expect(world.effects).toEqual([2]);
  });
});
