import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ReplyOf, type RequestContract, type RequestInput, recordOpen } from '@postern/contracts';
import { type RequestContext, ServiceUnavailable } from '@postern/messaging';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { type Engagement, type EngagementQueue, EngagementRecorder } from './engagement-recorder.js';

const CONTEXT: RequestContext = { correlationId: 'c' };
const open = (recipient_index: number) => ({
  contract: recordOpen,
  details: {
    email_id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f',
    recipient_index,
    user_agent: 'Mail',
    ip: '203.0.113.9',
    at: '2030-01-02T03:04:05.000Z',
  },
});

describe('EngagementRecorder', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('records every engagement once', async () => {
    const tracking = new Tracking(() => undefined);
    const recorder = new EngagementRecorder(tracking, new Full(), new Lines());
    for (let index = 0; index < 50; index++) recorder.record(open(index), CONTEXT);
    await drained(recorder, 1_000);
    expect(tracking.known.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  describe('makes the reader wait', () => {
    const reading = async (recorder: EngagementRecorder, recipientIndex: number) => {
      const reader = { answered: false };
      void recorder.record(open(recipientIndex), CONTEXT).then(() => {
        reader.answered = true;
      });
      await jest.advanceTimersByTimeAsync(0);
      return reader;
    };

    it('until the engagement is recorded', async () => {
      const tracking = new Tracking(() => undefined);
      const release = tracking.hold();
      const reader = await reading(new EngagementRecorder(tracking, new Full(), new Lines()), 1);
      expect(reader.answered).toBe(false);
      release();
      await jest.advanceTimersByTimeAsync(0);
      expect(reader.answered).toBe(true);
    });

    it('for 250 ms if the durable queue accepts the engagement', async () => {
      const tracking = new Tracking(() => undefined);
      tracking.hold();
      const durable = new Stored();
      const reader = await reading(new EngagementRecorder(tracking, durable, new Lines()), 1);
      await jest.advanceTimersByTimeAsync(249);
      expect([reader.answered, durable.engagements]).toEqual([false, []]);
      await jest.advanceTimersByTimeAsync(1);
      expect([reader.answered, durable.engagements]).toEqual([true, [1]]);
    });

    it('for 500 ms at most', async () => {
      const tracking = new Tracking(() => undefined);
      tracking.hold();
      const reader = await reading(new EngagementRecorder(tracking, new Silent(), new Lines()), 1);
      await jest.advanceTimersByTimeAsync(499);
      expect(reader.answered).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(reader.answered).toBe(true);
    });

    it('only for the durable queue while delivery-tracking is unavailable', async () => {
      const durable = new Stored();
      const tracking = new Tracking(() => unavailable);
      const recorder = new EngagementRecorder(tracking, durable, new Lines());
      await reading(recorder, 1);
      expect((await reading(recorder, 2)).answered).toBe(true);
      expect(durable.engagements.sort()).toEqual([1, 2]);
      await drained(recorder, 0);
    });

    it('not at all while the durable queue is also unavailable', async () => {
      const recorder = new EngagementRecorder(new Tracking(() => unavailable), new Full(), new Lines());
      await reading(recorder, 1);
      expect((await reading(recorder, 2)).answered).toBe(true);
      await drained(recorder, 0);
    });
  });

  it('retries an engagement that got no reply', async () => {
    const tracking = new Tracking(call => (call === 1 ? unavailable : undefined));
    const recorder = new EngagementRecorder(tracking, new Full(), new Lines());
    recorder.record(open(7), CONTEXT);
    await drained(recorder, 2_000);
    expect(tracking.known).toEqual([7]);
  });

  it('records waiting engagements within a second after delivery-tracking recovers, and sends one at a time until then', async () => {
    let away = true;
    const tracking = new Tracking(() => (away ? unavailable : undefined));
    const recorder = new EngagementRecorder(tracking, new Full(), new Lines());
    for (let index = 0; index < 50; index++) recorder.record(open(index), CONTEXT);
    await jest.advanceTimersByTimeAsync(60_000);
    const before = tracking.calls;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(tracking.calls - before).toBe(10);
    away = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(tracking.known).toHaveLength(50);
  });

  it('stores waiting engagements in the durable queue within a second after it recovers', async () => {
    const durable = new Stored();
    durable.isAway = true;
    const recorder = new EngagementRecorder(new Tracking(() => unavailable), durable, new Lines());
    for (let index = 0; index < 50; index++) recorder.record(open(index), CONTEXT);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(durable.engagements).toEqual([]);
    durable.isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(durable.engagements.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('drops an engagement that fails three times, and continues with the next', async () => {
    const tracking = new Tracking((_call, index) => (index === 1 ? new Error('bug') : undefined));
    const log = new Lines();
    const recorder = new EngagementRecorder(tracking, new Full(), log);
    recorder.record(open(1), CONTEXT);
    recorder.record(open(2), CONTEXT);
    await drained(recorder, 20_000);
    expect([tracking.known, log.errors]).toEqual([[2], ['An open or click could not be recorded']]);
  });

  it('queues 10,000 at most and logs that it drops more', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => unavailable), new Full(), log);
    for (let index = 0; index < 10_100; index++) recorder.record(open(0), CONTEXT);
    expect(recorder.queued).toBeLessThanOrEqual(10_000);
    expect(log.errors).toEqual(['The queue of opens and clicks is full; new ones are dropped']);
    await drained(recorder, 0);
  });

  it('replaces the oldest engagement that is in the durable queue, and logs no loss', async () => {
    const log = new Lines();
    const durable = new Stored();
    const recorder = new EngagementRecorder(new Tracking(() => unavailable), durable, log);
    recorder.record(open(0), CONTEXT);
    await jest.advanceTimersByTimeAsync(250);
    for (let number = 0; number < 20_000; number++) await recorder.record(open(0), CONTEXT);
    expect([recorder.queued, durable.engagements.length]).toEqual([10_000, 20_001]);
    await drained(recorder, 100);
    expect(log.errors).toEqual([]);
  });

  it('stops retrying after the drain timeout', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => unavailable), new Full(), log);
    recorder.record(open(0), CONTEXT);
    await drained(recorder, 100);
    expect(log.errors).toEqual(['Opens and clicks were not recorded before the shutdown']);
  });
});

const drained = async (recorder: EngagementRecorder, limitMs: number): Promise<void> => {
  await Promise.all([recorder.drain(limitMs), jest.advanceTimersByTimeAsync(limitMs)]);
};

const unavailable = new ServiceUnavailable(recordOpen.subject, 'timeout', true);

class Tracking extends ServiceClient {
  readonly known: number[] = [];
  calls = 0;
  #held: Promise<void> | undefined;

  constructor(private readonly failure: (call: number, recipientIndex: number) => Error | undefined) {
    super();
  }

  /** Delays replies until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  async request<C extends RequestContract>(_contract: C, request: RequestInput<C>): Promise<ReplyOf<C>> {
    this.calls += 1;
    await this.#held;
    const { recipient_index } = request as RequestInput<typeof recordOpen>;
    const failure = this.failure(this.calls, recipient_index);
    if (failure) throw failure;
    this.known.push(recipient_index);
    return {} as ReplyOf<C>;
  }
}

/** A durable queue that is full. */
class Full implements EngagementQueue {
  async add(): Promise<void> {
    throw new Error('full');
  }
}

/** A durable queue that never replies. */
class Silent implements EngagementQueue {
  add(): Promise<void> {
    return new Promise(() => {});
  }
}

class Stored implements EngagementQueue {
  readonly engagements: number[] = [];
  isAway = false;

  async add({ details }: Engagement): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.engagements.push(details.recipient_index);
  }
}

class Lines {
  readonly errors: string[] = [];
  error(_fields: object, message: string): void {
    this.errors.push(message);
  }
}
