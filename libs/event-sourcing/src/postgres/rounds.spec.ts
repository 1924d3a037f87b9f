import { describe, expect, it } from '@jest/globals';
import { Rounds } from './rounds.js';

const HOURS_MS = 3_600_000;

describe('rounds of work', () => {
  it('follow each other at once while there is work', async () => {
    const { stop, rounds, looks } = work({ pollMs: HOURS_MS, round: count => count < 5 });
    const running = rounds.run(stop.signal);
    await looks(5);
    stop.abort();
    await running;
  });

  it('come at once after a wake-up', async () => {
    const { stop, rounds, looks } = work({ pollMs: HOURS_MS });
    const running = rounds.run(stop.signal);
    await looks(1);
    rounds.wake();
    await looks(2);
    stop.abort();
    await running;
  });

  it('come again soon after a wake-up that found nothing, since the feed may still hide it', async () => {
    const { stop, rounds, looks } = work({ pollMs: HOURS_MS });
    const running = rounds.run(stop.signal);
    await looks(1);
    rounds.wake();
    await looks(4);
    stop.abort();
    await running;
  });

  it('do not miss a wake-up that comes during a round', async () => {
    const { stop, rounds, looks } = work({
      pollMs: HOURS_MS,
      round: (count, it) => {
        if (count === 1) it.wake();
        return false;
      },
    });
    const running = rounds.run(stop.signal);
    await looks(2);
    stop.abort();
    await running;
  });

  it('end at once when stopped between two polls', async () => {
    const { stop, rounds, looks } = work({ pollMs: HOURS_MS });
    const running = rounds.run(stop.signal);
    await looks(1);
    stop.abort();
    await running;
  });

  it('end at once when stopped while backing off', async () => {
    const { stop, rounds, looks, errors } = work({ pollMs: HOURS_MS, round: failing });
    const running = rounds.run(stop.signal);
    await looks(1);
    const startedAt = performance.now();
    stop.abort();
    await running;
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(errors).toHaveLength(1);
  });

  it('are not hurried by wake-ups while backing off', async () => {
    const times: number[] = [];
    const { stop, rounds, looks } = work({
      pollMs: 30,
      round: (_, it) => {
        times.push(performance.now());
        // Writers go on appending while the broker or the database is away.
        setImmediate(() => it.wake());
        return failing();
      },
    });
    const running = rounds.run(stop.signal);
    await looks(3);
    stop.abort();
    await running;
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(25);
    expect(third - second).toBeGreaterThan(55);
  });
});

const failing = (): never => {
  throw new Error('the broker is away');
};

const work = ({
  pollMs,
  round = () => false,
}: {
  pollMs: number;
  round?: (count: number, rounds: Rounds) => boolean;
}) => {
  let count = 0;
  let looked = (): void => undefined;
  const errors: unknown[] = [];
  const rounds: Rounds = new Rounds({
    pollMs,
    onError: error => errors.push(error),
    round: async () => {
      count++;
      looked();
      return round(count, rounds);
    },
  });
  /** Resolves when that many rounds have begun. */
  const looks = (wanted: number) =>
    new Promise<void>(resolve => {
      looked = () => void (count >= wanted && resolve());
      looked();
    });
  return { rounds, stop: new AbortController(), looks, errors };
};
