import { describe, expect, it } from '@jest/globals';
import { PollLoop, type PollResult } from './poll-loop.js';

const HOURS_MS = 3_600_000;

describe('a poll loop', () => {
  it('polls again at once while there is work', async () => {
    const { stop, loop, polled } = work({ pollMs: HOURS_MS, poll: count => (count < 5 ? 'more' : 'empty') });
    const running = loop.run(stop.signal);
    await polled(5);
    stop.abort();
    await running;
  });

  it('polls at once after a wake-up', async () => {
    const { stop, loop, polled } = work({ pollMs: HOURS_MS });
    const running = loop.run(stop.signal);
    await polled(1);
    loop.wake();
    await polled(2);
    stop.abort();
    await running;
  });

  it('polls again soon after a wake-up that found nothing, because the feed may still hide the event', async () => {
    const { stop, loop, polled } = work({ pollMs: HOURS_MS });
    const running = loop.run(stop.signal);
    await polled(1);
    loop.wake();
    await polled(4);
    stop.abort();
    await running;
  });

  it('does not miss a wake-up during a poll', async () => {
    const { stop, loop, polled } = work({
      pollMs: HOURS_MS,
      poll: (count, it) => {
        if (count === 1) it.wake();
        return 'empty';
      },
    });
    const running = loop.run(stop.signal);
    await polled(2);
    stop.abort();
    await running;
  });

  it('ends at once when it is stopped between two polls', async () => {
    const { stop, loop, polled } = work({ pollMs: HOURS_MS });
    const running = loop.run(stop.signal);
    await polled(1);
    stop.abort();
    await running;
  });

  it('ends at once when it is stopped while backing off', async () => {
    const { stop, loop, polled, errors } = work({ pollMs: HOURS_MS, poll: failing });
    const running = loop.run(stop.signal);
    await polled(1);
    stop.abort();
    await running;
    expect(errors).toHaveLength(1);
  });

  it('backs off in spite of wake-ups', async () => {
    const times: number[] = [];
    const { stop, loop, polled } = work({
      pollMs: 30,
      poll: (_, it) => {
        times.push(performance.now());
        // Writers continue to append while the broker or the database is unavailable.
        setImmediate(() => it.wake());
        return failing();
      },
    });
    const running = loop.run(stop.signal);
    await polled(3);
    stop.abort();
    await running;
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(25);
    expect(third - second).toBeGreaterThan(55);
  });
});

const failing = (): never => {
  throw new Error('the broker is unavailable');
};

const work = ({
  pollMs,
  poll = () => 'empty',
}: {
  pollMs: number;
  poll?: (count: number, loop: PollLoop) => PollResult;
}) => {
  let count = 0;
  let onPoll = (): void => undefined;
  const errors: unknown[] = [];
  const loop: PollLoop = new PollLoop({
    pollMs,
    onError: error => errors.push(error),
    poll: async () => {
      count++;
      onPoll();
      return poll(count, loop);
    },
  });
  /** Resolves when `wanted` polls have begun. */
  const polled = (wanted: number) =>
    new Promise<void>(resolve => {
      onPoll = () => void (count >= wanted && resolve());
      onPoll();
    });
  return { loop, stop: new AbortController(), polled, errors };
};
