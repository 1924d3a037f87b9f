import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ReplyOf, type RequestContract, type RequestInput, recordOpen } from '@postern/contracts';
import { type Asker, Services, ServiceUnavailable } from '../ports.js';
import { EngagementRecorder } from './record-engagement.js';

const ASKER: Asker = { correlationId: 'c' };
const open = (recipient_index: number) => ({
  contract: recordOpen,
  seen: {
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

  it('tells everything that it was given, once', async () => {
    const tracking = new Tracking(() => undefined);
    const recorder = new EngagementRecorder(tracking, new Lines());
    for (let index = 0; index < 50; index++) recorder.record(open(index), ASKER);
    await drained(recorder, 1_000);
    expect(tracking.known.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  describe('lets the reader wait', () => {
    const reading = async (recorder: EngagementRecorder, recipientIndex: number) => {
      const reader = { answered: false };
      void recorder.record(open(recipientIndex), ASKER).then(() => {
        reader.answered = true;
      });
      await jest.advanceTimersByTimeAsync(0);
      return reader;
    };

    it('until it is known', async () => {
      const tracking = new Tracking(() => undefined);
      const letGo = tracking.hold();
      const reader = await reading(new EngagementRecorder(tracking, new Lines()), 1);
      expect(reader.answered).toBe(false);
      letGo();
      await jest.advanceTimersByTimeAsync(0);
      expect(reader.answered).toBe(true);
    });

    it('for a quarter of a second at most', async () => {
      const tracking = new Tracking(() => undefined);
      tracking.hold();
      const reader = await reading(new EngagementRecorder(tracking, new Lines()), 1);
      await jest.advanceTimersByTimeAsync(249);
      expect(reader.answered).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(reader.answered).toBe(true);
    });

    it('not at all while delivery-tracking is away', async () => {
      const recorder = new EngagementRecorder(
        new Tracking(() => new ServiceUnavailable('delivery-tracking')),
        new Lines(),
      );
      await reading(recorder, 1);
      expect((await reading(recorder, 2)).answered).toBe(true);
      await drained(recorder, 0);
    });
  });

  it('tries again what got no answer', async () => {
    const tracking = new Tracking(call => (call === 1 ? new ServiceUnavailable('delivery-tracking') : undefined));
    const recorder = new EngagementRecorder(tracking, new Lines());
    recorder.record(open(7), ASKER);
    await drained(recorder, 2_000);
    expect(tracking.known).toEqual([7]);
  });

  it('gives up what is answered with a fault three times, and goes on with the next', async () => {
    const tracking = new Tracking((_call, index) => (index === 1 ? new Error('bug') : undefined));
    const log = new Lines();
    const recorder = new EngagementRecorder(tracking, log);
    recorder.record(open(1), ASKER);
    recorder.record(open(2), ASKER);
    await drained(recorder, 20_000);
    expect([tracking.known, log.errors]).toEqual([[2], ['An open or click could not be recorded']]);
  });

  it('holds ten thousand at most and says that it loses more', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => new ServiceUnavailable('delivery-tracking')), log);
    for (let index = 0; index < 10_100; index++) recorder.record(open(0), ASKER);
    expect(recorder.queued).toBeLessThanOrEqual(10_000);
    expect(log.errors).toEqual(['The queue of opens and clicks is full; new ones are being lost']);
    await drained(recorder, 0);
  });

  it('stops trying when its time is over', async () => {
    const log = new Lines();
    const recorder = new EngagementRecorder(new Tracking(() => new ServiceUnavailable('delivery-tracking')), log);
    recorder.record(open(0), ASKER);
    await drained(recorder, 100);
    expect(log.errors).toEqual(['Opens and clicks could not be recorded before the end']);
  });
});

const drained = async (recorder: EngagementRecorder, limitMs: number): Promise<void> => {
  await Promise.all([recorder.drain(limitMs), jest.advanceTimersByTimeAsync(limitMs)]);
};

class Tracking extends Services {
  readonly known: number[] = [];
  calls = 0;
  private held: Promise<void> | undefined;

  constructor(private readonly failure: (call: number, recipientIndex: number) => Error | undefined) {
    super();
  }

  /** No answer before what it returns is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    return resolve;
  }

  async ask<C extends RequestContract>(_contract: C, request: RequestInput<C>): Promise<ReplyOf<C>> {
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
