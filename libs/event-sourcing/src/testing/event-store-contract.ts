import { describe, expect, it } from '@jest/globals';
import { BEGINNING } from '../event.js';
import { ConcurrencyConflict, type EventStore } from '../event-store.js';
import { UnstorableEventError } from '../unstorable-text.js';

const metadata = { correlationId: 'request-1', actor: 'ada' };
const events = (...names: string[]) => names.map(name => ({ type: 'test.happened.v1', data: { name } }));

const circular = (): object => {
  const data: { self?: object } = {};
  data.self = data;
  return data;
};

/** The contract that every event store fulfills. */
export const keepsTheEventStoreContract = (create: () => Promise<EventStore>): void => {
  describe('an event store', () => {
    it('returns what was appended, in order, with versions from 1', async () => {
      const store = await create();
      await store.append('cart-1', events('a', 'b'), { expectedVersion: 'none', metadata });
      await store.append('cart-1', events('c'), { expectedVersion: 2, metadata });

      const history = await store.readStream('cart-1');
      expect(history.map(({ version, data, type, streamId }) => ({ version, data, type, streamId }))).toEqual(
        ['a', 'b', 'c'].map((name, index) => ({
          version: index + 1,
          data: { name },
          type: 'test.happened.v1',
          streamId: 'cart-1',
        })),
      );
      expect(history.every(event => event.metadata.actor === 'ada')).toBe(true);
    });

    it('returns no events for a stream that does not exist', async () =>
      expect(await (await create()).readStream('nobody')).toEqual([]));

    it.each([
      ['an older version', 1],
      ['a later version', 7],
      ['a new stream', 'none' as const],
    ])('refuses an append that expects %s and appends nothing', async (_, expectedVersion) => {
      const store = await create();
      await store.append('cart-2', events('a', 'b'), { expectedVersion: 'none', metadata });

      await expect(store.append('cart-2', events('x', 'y'), { expectedVersion, metadata })).rejects.toThrow(
        ConcurrencyConflict,
      );
      expect(await store.readStream('cart-2')).toHaveLength(2);
    });

    it('accepts exactly one of several concurrent appends', async () => {
      const store = await create();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          store.append('cart-3', events(`writer ${n}`), { expectedVersion: 'none', metadata }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.readStream('cart-3')).toHaveLength(1);
    });

    it('accepts concurrent appends that expect any version', async () => {
      const store = await create();
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.append('cart-4', events(`${n}a`, `${n}b`), { expectedVersion: 'any', metadata }),
        ),
      );
      const versions = (await store.readStream('cart-4')).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    });

    it('returns the events as recorded, also for concurrent appends', async () => {
      const store = await create();
      const appended = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store.append(`cart-${n}`, events('a', 'b', 'c'), { expectedVersion: 'none', metadata }),
        ),
      );
      for (const [n, { events: answered, position }] of appended.entries()) {
        const history = await store.readStream(`cart-${n}`);
        expect(answered).toEqual(history);
        expect(position).toEqual(history.at(-1)?.position);
      }
    });

    it('returns the present version and no position for an append without events', async () => {
      const store = await create();
      await store.append('cart-8', events('a'), { expectedVersion: 'none', metadata });
      expect(await store.append('cart-8', [], { expectedVersion: 1, metadata })).toEqual({
        version: 1,
        position: BEGINNING,
        events: [],
      });
    });

    it.each([
      ['text in a stream id', 'cart-\0', 'x', {}],
      ['an unpaired surrogate in a stream id', 'cart-\ud800', 'x', {}],
      ['text in a type', 'cart-9', 'x\0', {}],
      ['text in the metadata', 'cart-9', 'x', { actor: '\0' }],
    ])('refuses unstorable %s', async (_, streamId, type, more) =>
      expect(
        (await create()).append(streamId, [{ type, data: {} }], {
          expectedVersion: 'any',
          metadata: { ...metadata, ...more },
        }),
      ).rejects.toThrow(UnstorableEventError),
    );

    it.each([
      ['not a number', { deep: [{ n: Number.NaN }] }],
      ['infinite', { n: Number.POSITIVE_INFINITY }],
      ['a big integer', { n: 1n }],
      ['circular', circular()],
    ])('refuses data that is %s', async (_, data) =>
      expect(
        (await create()).append('cart-9', [{ type: 'x', data }], { expectedVersion: 'any', metadata }),
      ).rejects.toThrow(UnstorableEventError),
    );

    it('stores nulls and the largest numbers', async () => {
      const store = await create();
      const data = { nothing: null, large: Number.MAX_VALUE, small: Number.MIN_VALUE, text: 'null 1e400000' };
      await store.append('cart-9', [{ type: 'x', data }], { expectedVersion: 'any', metadata });
      expect((await store.readStream('cart-9'))[0]?.data).toEqual(data);
    });

    it.each(['\0', '\ud800', 'x\udc00'])(
      'refuses text that cannot be stored (%j) and accepts others at the same time',
      async text => {
        const store = await create();
        const good = store.append('cart-5', events('fine'), { expectedVersion: 'none', metadata });
        await expect(store.append('cart-6', events(text), { expectedVersion: 'none', metadata })).rejects.toThrow(
          'NUL character or an unpaired surrogate',
        );
        await good;
        expect(await store.readStream('cart-5')).toHaveLength(1);
        expect(await store.readStream('cart-6')).toEqual([]);
      },
    );

    it('stores text that only looks unstorable', async () => {
      const store = await create();
      await store.append('cart-7', events('\\u0000 \\ud800 😀'), { expectedVersion: 'none', metadata });
      expect((await store.readStream('cart-7'))[0]?.data).toEqual({ name: '\\u0000 \\ud800 😀' });
    });
  });
};
