import { describe, expect, it } from '@jest/globals';
import { type BalancerRoute, NO_ANSWERS } from '@postern/load-balancer-client';
import { RequestMeter } from './request-meter.js';

const route = (requests: number, underWay = 0, waiting = 0): BalancerRoute => ({
  id: 'shop',
  name: 'shop',
  url: 'http://127.0.0.1:1',
  listener: { host: '127.0.0.1', port: 1 },
  version: 1,
  closed: null,
  requests,
  answers: NO_ANSWERS,
  waiting,
  backends: [{ id: 'one', host: '127.0.0.1', port: 1, underWay }],
  draining: [],
});

/** A meter after these readings, one every second. */
const after = (...readings: readonly BalancerRoute[][]): RequestMeter => {
  const meter = new RequestMeter();
  for (const [second, routes] of readings.entries()) meter.read(routes, second * 1_000);
  return meter;
};

describe('the requests of a web service', () => {
  it('are the difference of two readings, per second', () =>
    expect(after([route(100)], [route(140)]).perSecond('shop')).toBe(40));

  it('are counted from zero after a restart of the load balancer', () =>
    expect(after([route(100)], [route(30)]).perSecond('shop')).toBe(30));

  it('are none before the second reading, and for an unknown service', () => {
    expect(after([route(100)]).perSecond('shop')).toBe(0);
    expect(after([route(100)]).perSecond('other')).toBe(0);
  });
});

describe('the answers of a web service', () => {
  const answered = (count: number, serverErrors: number, responseMs: number) => [
    { ...route(count), answers: { count, serverErrors, responseMs } },
  ];

  it('are the difference of two readings, per second', () => {
    const meter = after(answered(100, 5, 1_000), answered(140, 6, 3_000));
    expect(meter.answerRates('shop')).toEqual({ perSecond: 40, serverErrors: 1, responseMs: 2_000 });
  });

  it('are counted from zero after a restart of the load balancer', () =>
    expect(after(answered(100, 5, 1_000), answered(3, 1, 30)).answerRates('shop')).toEqual({
      perSecond: 3,
      serverErrors: 1,
      responseMs: 30,
    }));

  it('are none at the first reading, and unknown for an unknown service', () => {
    const meter = after(answered(100, 5, 1_000));
    expect(meter.answerRates('shop')).toEqual({ perSecond: 0, serverErrors: 0, responseMs: 0 });
    expect(meter.answerRates('other')).toBeUndefined();
  });
});

describe('a web service without requests', () => {
  it('is idle since the last one', () =>
    expect(after([route(1)], [route(2)], [route(2)], [route(2)]).idleMs('shop', 4_000)).toBe(3_000));

  it('is not idle while a request or a WebSocket is in progress, or waits for an instance', () => {
    expect(after([route(1)], [route(1)], [route(1, 1)]).idleMs('shop', 2_000)).toBe(0);
    expect(after([route(1)], [route(1)], [route(1, 0, 1)]).idleMs('shop', 2_000)).toBe(0);
  });

  it('is not idle before its first reading, nor after it was removed', () => {
    expect(new RequestMeter().idleMs('shop', 9_000)).toBe(0);
    expect(after([route(1)], []).idleMs('shop', 9_000)).toBe(0);
  });
});
