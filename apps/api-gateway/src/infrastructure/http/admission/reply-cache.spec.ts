import { beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceUnavailable } from '@postern/messaging';
import { ReplyCache } from './reply-cache.js';

describe('A cache of replies', () => {
  let now: number;
  let loaded: string[];
  let cache: ReplyCache<string | undefined>;
  beforeEach(() => {
    now = 0;
    loaded = [];
    cache = new ReplyCache({ subject: 'a subject', keptMs: 5_000, maxEntries: 3, maxPending: 2 }, () => now);
  });

  const get = (key: string, reply: Promise<string | undefined> = Promise.resolve(`of ${key}`)) =>
    cache.get(key, () => {
      loaded.push(key);
      return reply;
    });

  it('keeps a reply for its lifetime, including a negative one', async () => {
    expect([await get('a'), await get('a'), await get('b', Promise.resolve(undefined)), await get('b')]).toEqual([
      'of a',
      'of a',
      undefined,
      undefined,
    ]);
    now = 4_999;
    await get('a');
    expect(loaded).toEqual(['a', 'b']);
    now = 5_000;
    await get('a');
    expect(loaded).toEqual(['a', 'b', 'a']);
  });

  it('sends one request for concurrent calls', async () => {
    expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['of a', 'of a', 'of a']);
    expect(loaded).toEqual(['a']);
  });

  it('does not keep errors', async () => {
    await expect(get('a', Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await get('a')).toBe('of a');
  });

  it('does not exceed its size', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await get(key);
    await get('d');
    await get('a');
    expect(loaded).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  it('limits the number of pending requests, and accepts more once these are complete', async () => {
    let answer: (reply: string) => void = () => undefined;
    const slow = new Promise<string>(resolve => {
      answer = resolve;
    });
    const waiting = [get('a', slow), get('b', slow)];
    await expect(get('c')).rejects.toThrow(ServiceUnavailable);
    answer('at last');
    await Promise.all(waiting);
    expect(await get('c')).toBe('of c');
    expect(loaded).toEqual(['a', 'b', 'c']);
  });
});
