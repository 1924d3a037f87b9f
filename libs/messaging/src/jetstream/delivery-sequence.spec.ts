import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DeliverySequence, type MissingSequences } from './delivery-sequence.js';

interface Delivery {
  readonly stream: number;
  readonly count: number;
  readonly replica: number;
}

/** Simulates the server: first deliveries in order, removed messages skipped, some redelivered. */
const deliveries = fc.array(
  fc.record({
    skipped: fc.constantFrom(0, 0, 0, 0, 1, 3),
    repeats: fc.nat({ max: 2 }),
    replica: fc.nat({ max: 2 }),
  }),
  { maxLength: 60 },
);

const run = (steps: readonly { skipped: number; repeats: number; replica: number }[], replicas: number) => {
  const watches = Array.from({ length: replicas }, () => new DeliverySequence());
  for (const watch of watches) watch.begin({ stream: 10, delivery: 7 });
  const log: Delivery[] = [];
  let stream = 10;
  const removed: number[] = [];
  for (const { skipped, repeats, replica } of steps) {
    for (let n = 0; n < skipped; n++) removed.push(++stream);
    log.push({ stream: ++stream, count: 1, replica });
    for (let n = 0; n < repeats; n++) log.push({ stream, count: 2 + n, replica: (replica + n) % replicas });
  }
  const found: MissingSequences[] = [];
  log.forEach(({ stream: streamSequence, count, replica }, place) => {
    const info = { streamSequence, deliverySequence: 8 + place, deliveryCount: count };
    const missing = watches[replica % replicas]?.record({ info } as Parameters<DeliverySequence['record']>[0]);
    if (missing) found.push(missing);
  });
  return { removed, found };
};

const covers = ({ first, last }: MissingSequences, sequence: number) => first <= sequence && sequence <= last;

it('finds every skipped sequence and no other, with any redeliveries', () => {
  fc.assert(
    fc.property(deliveries, steps => {
      const { removed, found } = run(steps, 1);
      expect(found.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n))).toEqual(
        removed,
      );
    }),
  );
});

it('finds every skipped sequence over several replicas without redeliveries', () => {
  fc.assert(
    fc.property(deliveries, steps => {
      // A gap at the end of one replica is found by the replica that got the next message.
      const { removed, found } = run(
        steps.map(step => ({ ...step, repeats: 0 })),
        3,
      );
      for (const sequence of removed) expect(found.some(range => covers(range, sequence))).toBe(true);
    }),
  );
});

it('reports no false gap with any number of replicas and redeliveries', () => {
  fc.assert(
    fc.property(deliveries, steps => {
      const { found } = run(
        steps.map(step => ({ ...step, skipped: 0 })),
        3,
      );
      expect(found).toEqual([]);
    }),
  );
});

it('starts again when a server counts its last deliveries again', () => {
  const watch = new DeliverySequence();
  watch.begin({ stream: 20, delivery: 20 });
  const record = (streamSequence: number, deliverySequence: number) =>
    watch.record({ info: { streamSequence, deliverySequence, deliveryCount: 1 } } as Parameters<
      typeof watch.record
    >[0]);
  expect(record(21, 21)).toBeUndefined();
  expect(record(15, 15)).toBeUndefined();
  expect(record(16, 16)).toBeUndefined();
  expect(record(19, 17)).toEqual({ first: 17, last: 18 });
});
