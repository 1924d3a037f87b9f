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

/** What every event store promises. */
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

    it('knows nothing of a stream that does not exist', async () =>
      expect(await (await create()).readStream('nobody')).toEqual([]));

    it.each([
      ['an older version', 1],
      ['a version to come', 7],
      ['a new stream', 'none' as const],
    ])('refuses an append that expects %s and appends nothing', async (_, expectedVersion) => {
      const store = await create();
      await store.append('cart-2', events('a', 'b'), { expectedVersion: 'none', metadata });

      await expect(store.append('cart-2', events('x', 'y'), { expectedVersion, metadata })).rejects.toThrow(
        ConcurrencyConflict,
      );
      expect(await store.readStream('cart-2')).toHaveLength(2);
    });

    it('lets exactly one of several racing appends win', async () => {
      const store = await create();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          store.append('cart-3', events(`racer ${n}`), { expectedVersion: 'none', metadata }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.readStream('cart-3')).toHaveLength(1);
    });

    it('takes appends that expect any version one after the other', async () => {
      const store = await create();
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.append('cart-4', events(`${n}a`, `${n}b`), { expectedVersion: 'any', metadata }),
        ),
      );
      const versions = (await store.readStream('cart-4')).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    });

    it('answers the events as it recorded them, also to appends at the same time', async () => {
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

    it('answers an append of nothing with the version that there is, and no position to wait for', async () => {
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
      ['half of a surrogate pair in a stream id', 'cart-\ud800', 'x', {}],
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

    it('keeps nulls and the largest numbers', async () => {
      const store = await create();
      const data = { nothing: null, large: Number.MAX_VALUE, small: Number.MIN_VALUE, text: 'null 1e400000' };
      await store.append('cart-9', [{ type: 'x', data }], { expectedVersion: 'any', metadata });
      expect((await store.readStream('cart-9'))[0]?.data).toEqual(data);
    });

    it.each(['\0', '\ud800', 'x\udc00'])(
      'refuses text that cannot be stored (%j) without harming others',
      async text => {
        const store = await create();
        const good = store.append('cart-5', events('fine'), { expectedVersion: 'none', metadata });
        await expect(store.append('cart-6', events(text), { expectedVersion: 'none', metadata })).rejects.toThrow(
          'NUL character or half of a surrogate pair',
        );
        await good;
        expect(await store.readStream('cart-5')).toHaveLength(1);
        expect(await store.readStream('cart-6')).toEqual([]);
      },
    );

    it('keeps text that only looks unstorable', async () => {
      const store = await create();
      await store.append('cart-7', events('\\u0000 \\ud800 😀'), { expectedVersion: 'none', metadata });
      expect((await store.readStream('cart-7'))[0]?.data).toEqual({ name: '\\u0000 \\ud800 😀' });
    });
  });
};
