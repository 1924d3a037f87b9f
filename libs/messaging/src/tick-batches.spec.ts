import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLog } from './log.js';
import { COLLECT_MS, TickBatches } from './tick-batches.js';

let isBusy: boolean;
let sent: { readonly destination: string; readonly items: string[]; readonly data: string }[];
let batches: TickBatches<string>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate'] });
  isBusy = false;
  sent = [];
  batches = new TickBatches<string>(
    () => 100,
    silentLog,
    'requests',
    (destination, { items, data }) => sent.push({ destination, items, data: data.toString() }),
    () => isBusy,
  );
});
afterEach(() => void jest.useRealTimers());

const add = (item: string, destination = 'a', text = `"${item}"`) => batches.add(destination, item, Buffer.from(text));
const turn = () => new Promise<void>(resolve => setImmediate(resolve));

describe('frames of one turn of the event loop', () => {
  it('share a message for each destination', async () => {
    for (const [item, destination] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
    ] as const)
      add(item, destination);
    await turn();
    expect(sent).toEqual([
      { destination: 'a', items: ['1', '3'], data: '["1","3"]' },
      { destination: 'b', items: ['2'], data: '["2"]' },
    ]);
  });

  it('are divided among messages of the permitted size', async () => {
    for (const item of ['1', '2', '3']) add(item, 'a', JSON.stringify(item.repeat(40)));
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([['1', '2'], ['3']]);
  });

  it('are refused with their size if no message can carry them', async () => {
    expect(add('1', 'a', `"${'ü'.repeat(49)}"`)).toBe(100);
    expect(add('2', 'a', `"${'ü'.repeat(48)}"`)).toBeUndefined();
    await turn();
    expect(sent.map(({ items }) => items)).toEqual([['2']]);
  });
});

describe('while many others wait for their answers', () => {
  beforeEach(() => {
    isBusy = true;
  });

  it('frames of several turns share a message', async () => {
    add('1');
    await turn();
    add('2');
    jest.advanceTimersByTime(COLLECT_MS - 1);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(sent.map(({ items }) => items)).toEqual([['1', '2']]);
  });

  it('those that are collected leave at once with a flush, and only once', async () => {
    add('1');
    batches.flush();
    expect(sent.map(({ items }) => items)).toEqual([['1']]);
    isBusy = false;
    add('2');
    await turn();
    jest.advanceTimersByTime(COLLECT_MS);
    expect(sent.map(({ items }) => items)).toEqual([['1'], ['2']]);
  });
});
