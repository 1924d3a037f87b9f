import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ReplyOf, type RequestContract, type RequestInput, recordOpen } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import { ServiceClient, ServiceUnavailable } from '../service-client/ports.js';
import { EngagementRecorder } from './engagement-recorder.js';

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
    const recorder = new EngagementRecorder(tracking, new Lines());
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
      const reader = await reading(new EngagementRecorder(tracking, new Lines()), 1);
      expect(reader.answered).toBe(false);
      release();
      await jest.advanceTimersByTimeAsync(0);
      expect(reader.answered).toBe(true);
    });

    it('for 250 ms at most', async () => {
      const tracking = new Tracking(() => undefined);
      tracking.hold();
      const reader = await reading(new EngagementRecorder(tracking, new Lines()), 1);
      await jest.advanceTimersByTimeAsync(249);
      expect(reader.answered).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(reader.answered).toBe(true);
    });

    it('not at all while delivery-tracking is unavailable', async () => {
      const recorder = new EngagementRecorder(
        new Tracking(() => new ServiceUnavailable('delivery-tracking')),
        new Lines(),
      );
      await reading(recorder, 1);
      expect((await reading(recorder, 2)).answered).toBe(true);
      await drained(recorder, 0);
    });
  });

  it('retries an engagement that got no reply', async () => {
    const tracking = new Tracking(call => (call === 1 ? new ServiceUnavailable('delivery-tracking') : undefined));
    const recorder = new EngagementRecorder(tracking, new Lines());
    recorder.record(open(7), CONTEXT);
    await drained(recorder, 2_000);
    expect(tracking.known).toEqual([7]);
  });

  it('drops an engagement that fails three times, and continues with the next', async () => {
    const tracking = new Tracking((_call, index) => (index === 1 ? new Error('bug') : undefined));
    const log = new Lines();
    const recorder = new EngagementRecorder(tracking, log);
    recorder.record(open(1), CONTEXT);
    recorder.record(open(2), CONTEXT);
    await drained(recorder, 20_000);
    expect([tracking.known, log.errors]).toEqual([[2], ['An open or click could not be recorded']]);
  });

  it('queues 10,000 at most and logs that it drops more', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => new ServiceUnavailable('delivery-tracking')), log);
    for (let index = 0; index < 10_100; index++) recorder.record(open(0), CONTEXT);
    expect(recorder.queued).toBeLessThanOrEqual(10_000);
    expect(log.errors).toEqual(['The queue of opens and clicks is full; new ones are dropped']);
    await drained(recorder, 0);
  });

  it('stops retrying when the drain timeout has passed', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => new ServiceUnavailable('delivery-tracking')), log);
    recorder.record(open(0), CONTEXT);
    await drained(recorder, 100);
    expect(log.errors).toEqual(['Opens and clicks were not recorded before the shutdown']);
  });
});

const drained = async (recorder: EngagementRecorder, limitMs: number): Promise<void> => {
  await Promise.all([recorder.drain(limitMs), jest.advanceTimersByTimeAsync(limitMs)]);
};

class Tracking extends ServiceClient {
  readonly known: number[] = [];
  calls = 0;
  private held: Promise<void> | undefined;

  constructor(private readonly failure: (call: number, recipientIndex: number) => Error | undefined) {
    super();
  }

  /** Delays replies until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    return resolve;
  }

  async request<C extends RequestContract>(_contract: C, request: RequestInput<C>): Promise<ReplyOf<C>> {
    this.calls += 1;
    await this.held;
    const { recipient_index } = request as RequestInput<typeof recordOpen>;
    const failure = this.failure(this.calls, recipient_index);
    if (failure) throw failure;
    this.known.push(recipient_index);
    return {} as ReplyOf<C>;
  }
}

class Lines {
  readonly errors: string[] = [];
  error(_fields: object, message: string): void {
    this.errors.push(message);
  }
}
