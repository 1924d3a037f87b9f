import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@postern/contracts';
import {
  afterFailure,
  afterReply,
  dueService,
  type ErasureOfService,
  type RunningErasure,
  type StepReply,
  untouched,
  withService,
} from './erasure.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

const begun: RunningErasure = {
  id: '019a0000-0000-7000-8000-000000000001',
  status: 'running',
  replacement: 'erased-1@erased.invalid',
  pass: 1,
  requested_at: NOW.toISOString(),
  completed_at: null,
  services: SERVICE_NAMES.map(untouched),
};

const reply = (change: Partial<StepReply> = {}): StepReply => ({
  erased: [],
  kept: [],
  cursor: null,
  waiting_for: null,
  failure: null,
  ...change,
});

const one = untouched('email-send');

/** Every service answers each step of a pass with the result of `replyOf`. */
const pass = (erasure: RunningErasure, replyOf: (service: ErasureOfService) => StepReply): RunningErasure => {
  const { pass: number } = erasure;
  let now = erasure;
  for (let step = 0; step < 100 && now.pass === number && now.status === 'running'; step++) {
    const at = new Date(NOW.getTime() + 10 * 60_000 * (step + 1));
    const due = dueService(now, at);
    if (due) now = withService(now, afterReply(due, replyOf(due), at), at);
  }
  return now;
};

describe('An erasure', () => {
  it('begins in the service in which addresses originate', () =>
    expect(dueService(begun, NOW)?.service).toBe('email-send'));

  it('is completed by the first pass that finds nothing, but never by the very first', () => {
    const found = pass(begun, ({ service }) => reply({ erased: [{ kind: service, rows: 2 }] }));
    expect(found).toMatchObject({ status: 'running', pass: 2 });
    const repeated = pass(found, ({ service }) => reply({ erased: [{ kind: service, rows: 2 }] }));
    expect(repeated).toMatchObject({ status: 'completed', pass: 2, completed_at: expect.any(String) });
    expect(repeated.services[0]?.erased).toEqual([{ kind: 'email-send', rows: 2 }]);
  });

  it('runs once more over all services when one of them found something', () => {
    const second = pass(begun, () => reply());
    const third = pass(second, ({ service }) =>
      reply(service === 'webhook-dispatch' ? { erased: [{ kind: 'deliveries', rows: 1 }] } : {}),
    );
    expect(third).toMatchObject({ status: 'running', pass: 3 });
  });

  it('waits between two passes, so that data in memory is written', () => {
    const [first, ...others] = begun.services.map(service => ({ ...service, state: 'done' as const }));
    const ended = withService({ ...begun, services: [first!, ...others] }, { ...first!, state: 'done' }, NOW);
    expect(dueService(ended, NOW)).toBeUndefined();
    expect(dueService(ended, new Date(NOW.getTime() + 5_000))?.service).toBe('email-send');
  });

  it('continues with the next service while one fails, and retries the failed one at growing intervals', () => {
    const failed = withService(begun, afterFailure(one, 'no responders', NOW), NOW);
    expect(dueService(failed, NOW)?.service).toBe('delivery-tracking');
    const again = afterFailure(failed.services[0] as ErasureOfService, 'no responders', NOW);
    expect([failed.services[0]?.next_attempt_at, again.next_attempt_at]).toEqual([after(1_000), after(2_000)]);
    expect(afterFailure({ ...one, failures: 50 }, 'x', NOW).next_attempt_at).toBe(after(60_000));
  });

  it('repeats a failed step from the same place', () => {
    const running = afterReply(one, reply({ cursor: 'page 3' }), NOW);
    expect(afterReply(running, reply({ failure: 'a statement took too long' }), NOW)).toMatchObject({
      state: 'failed',
      cursor: 'page 3',
      reason: 'a statement took too long',
    });
  });

  it('keeps the pass open while something is still being sent', () => {
    const waiting = afterReply(one, reply({ waiting_for: '1 messages are still being sent' }), NOW);
    expect(waiting).toMatchObject({ state: 'waiting', cursor: null, next_attempt_at: after(5_000) });
    const others = begun.services.slice(1).map(service => ({ ...service, state: 'done' as const }));
    const erasure = withService({ ...begun, pass: 4, services: [one, ...others] }, waiting, NOW);
    expect(erasure).toMatchObject({ status: 'running', pass: 4 });
    const done = withService(erasure, afterReply(waiting, reply(), NOW), NOW);
    expect(done).toMatchObject({ status: 'running', pass: 5 });
  });
});
