import { describe, expect, it } from '@jest/globals';
import { EndpointWorker } from './endpoint-worker.js';
import type { DueDelivery } from './ports.js';

const delivery: DueDelivery = {
  id: '0198c0de-0000-7000-8000-000000000001',
  webhookId: '0198c0de-0000-7000-8000-000000000002',
  serviceId: '0198c0de-0000-7000-8000-000000000003',
  workspaceId: '0198c0de-0000-7000-8000-000000000004',
  partition: 0,
  url: 'https://hooks.test/',
  secret: 'whsec_test',
  payload: '{}',
  rateLimit: undefined,
  ordered: false,
  attempts: 0,
  traceparent: undefined,
  readAtMs: 0,
};

const workerWithClock = (settings: Partial<DueDelivery> = {}) => {
  const clock = { ms: 0 };
  const worker = new EndpointWorker(delivery.serviceId, () => clock.ms);
  let added = 0;
  const add = (count: number, ownedSinceMs = -10_000) => {
    for (let n = 0; n < count; n++) worker.add({ ...delivery, ...settings, id: String(added++) }, ownedSinceMs);
  };
  /** Starts all requests that the limits permit. */
  const start = () => {
    let started = 0;
    while (worker.next()) started++;
    return started;
  };
  /** Reads up to the limit and completes all requests, like a fast endpoint. */
  const round = (parts = 1) => {
    const limit = worker.readLimit(parts);
    add(limit);
    for (let started = start(); started > 0; started = start()) {
      for (let n = 0; n < started; n++) {
        worker.onResponse();
        worker.onRecorded(delivery, true);
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
    worker.onRecorded(delivery, true);
    expect(start()).toBe(1);
  });

  it('doubles what it reads while full loads complete quickly', () => {
    const { round } = workerWithClock();
    expect(Array.from({ length: 7 }, () => round())).toEqual([8, 16, 32, 64, 128, 128, 128]);
  });

  it('reads its part of the limit of the process', () => {
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
    worker.readLimit(1);
    clock.ms += 251;
    expect(worker.readLimit(1)).toBe(0);
  });

  it('of a slow endpoint needs more after every recorded attempt', () => {
    const { worker, add, start } = workerWithClock();
    add(8);
    start();
    worker.onResponse();
    expect(worker.needsMore).toBe(false);
    worker.onRecorded(delivery, true);
    expect(worker.needsMore).toBe(true);
  });

  it('needs more only if the last read was full', () => {
    const { worker, add, start } = workerWithClock();
    add(8);
    start();
    for (let n = 0; n < 4; n++) {
      worker.onResponse();
      worker.onRecorded(delivery, true);
    }
    expect(worker.needsMore).toBe(true);
    expect(worker.readLimit(1)).toBe(4);
    add(3);
    for (let n = 0; n < 4; n++) {
      start();
      worker.onResponse();
      worker.onRecorded(delivery, true);
    }
    expect(worker.needsMore).toBe(false);
  });

  it('knows what it has read and not recorded', () => {
    const { worker, add } = workerWithClock();
    add(3);
    const first = worker.next()!;
    expect([...worker.ids]).toEqual(['0', '1', '2']);
    worker.onResponse();
    expect([...worker.ids]).toEqual(['0', '1', '2']);
    worker.onRecorded(first, true);
    expect([...worker.ids]).toEqual(['1', '2']);
    worker.release();
    expect([...worker.ids]).toEqual([]);
  });

  it('is idle when it has been empty for a while', () => {
    const { worker, clock } = workerWithClock();
    expect(worker.isIdle).toBe(false);
    clock.ms += 251;
    expect(worker.isIdle).toBe(true);
  });

  it('of an endpoint with a rate limit starts no more requests within a second, and says when the next one may start', () => {
    const { worker, clock, add, start } = workerWithClock({ rateLimit: 3 });
    add(8);
    expect([start(), worker.startsInMs]).toEqual([3, 1_000]);
    clock.ms = 999;
    expect([start(), worker.startsInMs]).toEqual([0, 1]);
    clock.ms = 1_000;
    expect(start()).toBe(3);
  });

  it('of an endpoint with a rate limit waits a second after another process called it', () => {
    const { worker, clock, add, start } = workerWithClock({ rateLimit: 3 });
    clock.ms = 500;
    add(8, 400);
    expect([start(), worker.startsInMs]).toEqual([0, 900]);
  });

  it('of an endpoint with a rate limit is not idle while its requests count', () => {
    const { worker, clock, add } = workerWithClock({ rateLimit: 3 });
    add(1);
    const first = worker.next()!;
    worker.onResponse();
    worker.onRecorded(first, true);
    clock.ms = 1_000;
    expect(worker.isIdle).toBe(false);
    clock.ms = 1_001;
    expect(worker.isIdle).toBe(true);
  });
});

describe('the worker of an endpoint with an order', () => {
  const ordered = () => {
    const made = workerWithClock({ ordered: true });
    made.add(3);
    return made;
  };

  it('starts the next request when the previous one is recorded', () => {
    const { worker, start } = ordered();
    expect(worker.next()?.id).toBe('0');
    expect(start()).toBe(0);
    worker.onResponse();
    expect(start()).toBe(0);
    worker.onRecorded({ id: '0' }, true);
    expect(worker.next()?.id).toBe('1');
  });

  it('drops what it has read after a failure, because the failed delivery comes first', () => {
    const { worker, start } = ordered();
    worker.next();
    worker.onResponse();
    worker.onRecorded({ id: '0' }, false);
    expect([start(), worker.isEmpty]).toEqual([0, true]);
  });

  it('completes the requests of the time without an order first', () => {
    const { worker, add, start } = workerWithClock();
    add(8);
    expect(start()).toBe(8);
    worker.add({ ...delivery, id: 'later', ordered: true }, 0);
    for (let n = 0; n < 7; n++) {
      worker.onResponse();
      worker.onRecorded({ id: String(n) }, true);
    }
    expect(start()).toBe(0);
    worker.onResponse();
    worker.onRecorded({ id: '7' }, true);
    expect(worker.next()?.id).toBe('later');
  });
});
