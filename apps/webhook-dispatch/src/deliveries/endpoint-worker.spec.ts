import { describe, expect, it } from '@jest/globals';
import { EndpointWorker } from './endpoint-worker.js';
import type { ClaimedDelivery } from './ports.js';

const delivery: ClaimedDelivery = {
  id: '0198c0de-0000-7000-8000-000000000001',
  webhookId: '0198c0de-0000-7000-8000-000000000002',
  serviceId: '0198c0de-0000-7000-8000-000000000003',
  workspaceId: '0198c0de-0000-7000-8000-000000000004',
  fence: '1',
  url: 'https://hooks.test/',
  secret: 'whsec_test',
  payload: '{}',
  attempts: 0,
  traceparent: undefined,
  claimedAtMs: 0,
};

const workerWithClock = () => {
  const clock = { ms: 0 };
  const worker = new EndpointWorker(delivery.serviceId, () => clock.ms);
  const add = (count: number) => {
    for (let n = 0; n < count; n++) worker.add(delivery);
  };
  /** Starts all requests that the limits permit. */
  const start = () => {
    let started = 0;
    while (worker.next()) started++;
    return started;
  };
  /** Claims up to the limit and completes all requests, like a fast endpoint. */
  const round = (parts = 1) => {
    const limit = worker.claimLimit(parts);
    add(limit);
    for (let started = start(); started > 0; started = start()) {
      for (let n = 0; n < started; n++) {
        worker.onResponse();
        worker.onRecorded();
      }
    }
    return limit;
  };
  return { worker, clock, add, start, round };
};

describe('the worker of an endpoint', () => {
  it('has at most eight requests in progress', () => {
    const { add, start } = workerWithClock();
    add(20);
    expect(start()).toBe(8);
  });

  it('starts the next request when one is over, recorded or not', () => {
    const { worker, add, start } = workerWithClock();
    add(20);
    start();
    worker.onResponse();
    expect(start()).toBe(1);
  });

  it('starts no more requests while 32 are over and not recorded', () => {
    const { worker, add, start } = workerWithClock();
    add(100);
    let started = start();
    for (let over = 0; over < 32; over++) {
      worker.onResponse();
      started += start();
    }
    expect(started).toBe(39);
    worker.onRecorded();
    expect(start()).toBe(1);
  });

  it('doubles its claims while full loads complete quickly', () => {
    const { round } = workerWithClock();
    expect(Array.from({ length: 7 }, () => round())).toEqual([8, 16, 32, 64, 128, 128, 128]);
  });

  it('claims its part of the limit of the replica', () => {
    const { round } = workerWithClock();
    expect(Array.from({ length: 4 }, () => round(100))).toEqual([8, 16, 32, 40]);
    expect(round(10_000)).toBe(8);
  });

  it('holds only its requests in progress when its endpoint hangs, even if it was fast before', () => {
    const { worker, clock, round, add, start } = workerWithClock();
    for (let n = 0; n < 5; n++) round();
    add(8);
    start();
    clock.ms += 251;
    worker.claimLimit(1);
    clock.ms += 251;
    expect(worker.claimLimit(1)).toBe(0);
  });

  it('of a slow endpoint needs more after every recorded attempt', () => {
    const { worker, add, start } = workerWithClock();
    add(8);
    start();
    worker.onResponse();
    expect(worker.needsMore).toBe(false);
    worker.onRecorded();
    expect(worker.needsMore).toBe(true);
  });

  it('needs more only if the last claim was full', () => {
    const { worker, add, start } = workerWithClock();
    add(8);
    start();
    for (let n = 0; n < 4; n++) {
      worker.onResponse();
      worker.onRecorded();
    }
    expect(worker.needsMore).toBe(true);
    expect(worker.claimLimit(1)).toBe(4);
    add(3);
    for (let n = 0; n < 4; n++) {
      start();
      worker.onResponse();
      worker.onRecorded();
    }
    expect(worker.needsMore).toBe(false);
  });

  it('releases a claim whose lease could end during the request', () => {
    const { worker, clock, add } = workerWithClock();
    add(1);
    clock.ms += 15_001;
    expect(worker.next()).toBeUndefined();
    expect(worker.isEmpty).toBe(true);
  });

  it('is idle when it has been empty for a while', () => {
    const { worker, clock } = workerWithClock();
    expect(worker.isIdle).toBe(false);
    clock.ms += 251;
    expect(worker.isIdle).toBe(true);
  });
});
