import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceUsage } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { newCaller } from '../../testing/caller.js';
import { MeasuredRuntime, MetricsFixture } from '../../testing/metrics-fixture.js';
import { refusalCode as codeOf } from '../../testing/refusal-code.js';
import {
  releaseBegun,
  releaseFailed,
  served,
  startRequested,
  stopped,
  stopRequested,
} from '../../testing/web-service-history.js';
import { sampleTime } from './metrics.js';
import { RollUpMetrics } from './roll-up-metrics.js';
import { SampleMetrics } from './sample-metrics.js';

const fixture = await MetricsFixture.start();
afterAll(() => fixture.stop());
beforeEach(() => {
  MeasuredRuntime.running = [];
});

const using = (webServiceId: string, cpuMillicores: number, overrides: Partial<ServiceUsage> = {}): ServiceUsage => ({
  webServiceId,
  cpuMillicores,
  cpuPercent: cpuMillicores / 10,
  memoryBytes: 64 * 1024 ** 2,
  memoryPercent: 12.5,
  instances: 1,
  ...overrides,
});

const measure = async (at: Date, ...running: ServiceUsage[]): Promise<void> => {
  MeasuredRuntime.running = running;
  await fixture.service.app.get(SampleMetrics, { strict: false }).run({ now: at });
};
const rollUp = (now = new Date()) => fixture.service.app.get(RollUpMetrics, { strict: false }).run({ now });
const begunStart = releaseBegun('s1', 'starting', { kind: 'start', of: 'd1' });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe('current metrics', () => {
  it('show the usage of running instances', async () => {
    const shop = await fixture.webService();
    await measure(new Date(), using(shop.web_service_id, 250, { instances: 2 }));
    expect(await fixture.current(shop)).toEqual({
      cpu: { millicores: 250, percent: 25 },
      memory: { bytes: 67_108_864, percent: 12.5 },
      instances: 2,
    });
  });

  it('are the average of the measurements of a sample', async () => {
    const shop = await fixture.webService();
    const at = new Date();
    for (const millicores of [100, 200, 600]) await measure(at, using(shop.web_service_id, millicores));
    expect((await fixture.current(shop)).cpu).toEqual({ millicores: 300, percent: 30 });
  });

  it('are refused for a web service that is not running', async () => {
    const shop = await fixture.webService();
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
    await measure(ago(61), using(shop.web_service_id, 250));
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
    await measure(new Date(), using(shop.web_service_id, 0, { instances: 0 }));
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
    await fixture.append(shop.web_service_id, [stopRequested(), stopped()]);
    await measure(new Date(), using(shop.web_service_id, 250));
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
  });

  it.each([
    ['a start is requested', [startRequested('s1')]],
    ['a start is in progress', [startRequested('s1'), begunStart]],
    ['a start has succeeded', [startRequested('s1'), begunStart, served('s1')]],
    ['a start has failed', [startRequested('s1'), begunStart, releaseFailed('s1', 'crashed', 'failed', 'crashed')]],
  ])('do not show the usage from before a stop when %s', async (_, events) => {
    const shop = await fixture.webService();
    await measure(ago(25), using(shop.web_service_id, 250));
    expect((await fixture.current(shop)).cpu.millicores).toBe(250);
    await fixture.append(shop.web_service_id, [stopRequested(), stopped(), ...events], ago(20));
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
  });

  it('show the usage after a stop once new instances were measured', async () => {
    const shop = await fixture.webService();
    await fixture.append(shop.web_service_id, [stopRequested(), stopped(), startRequested('s1'), begunStart], ago(40));
    await measure(ago(20), using(shop.web_service_id, 250));
    expect((await fixture.current(shop)).cpu.millicores).toBe(250);
  });

  it('do not show the usage of instances that failed to start', async () => {
    const shop = await fixture.webService([releaseBegun('d1')]);
    await measure(new Date(), using(shop.web_service_id, 250));
    await fixture.append(shop.web_service_id, [releaseFailed('d1', 'crashed', 'failed', 'crashed')]);
    expect(await codeOf(fixture.current(shop))).toBe('nothing_to_report');
  });

  it('show the usage of the serving instances during a rollout, and after it failed', async () => {
    const shop = await fixture.webService();
    await measure(ago(20), using(shop.web_service_id, 250));
    await fixture.append(shop.web_service_id, [releaseBegun('d2', 'running')]);
    expect((await fixture.current(shop)).cpu.millicores).toBe(250);
    await fixture.append(shop.web_service_id, [releaseFailed('d2', 'crashed', 'running', null)]);
    expect((await fixture.current(shop)).cpu.millicores).toBe(250);
  });

  it('are visible to the owner only', async () => {
    const shop = await fixture.webService();
    await measure(new Date(), using(shop.web_service_id, 250));
    const stranger = { ...shop, ...newCaller() };
    expect(await codeOf(fixture.current(stranger))).toBe('web_service_not_found');
    expect(await codeOf(fixture.history(stranger, 3600))).toBe('web_service_not_found');
    expect(await codeOf(fixture.current({ ...shop, web_service_id: uuidv7() }))).toBe('web_service_not_found');
  });
});

describe('the history of metrics', () => {
  it('has a point for each step with usage, and no points in between', async () => {
    const shop = await fixture.webService();
    const times = [600, 585, 300].map(seconds => sampleTime(ago(seconds)));
    for (const [n, at] of times.entries()) await measure(at, using(shop.web_service_id, 100 * (n + 1)));
    const { period, step, points } = await fixture.history(shop, 3600);
    expect([period, step]).toEqual([3600, 15]);
    expect(points.map(({ timestamp, cpu }) => [timestamp, cpu.millicores])).toEqual(
      times.map((at, n) => [at.toISOString(), 100 * (n + 1)]),
    );
    expect((await fixture.history(shop, 120)).points).toEqual([]);
  });

  it('is the same before and after samples are rolled up', async () => {
    const shop = await fixture.webService();
    for (let seconds = 3600; seconds >= 0; seconds -= 15)
      await measure(ago(seconds), using(shop.web_service_id, seconds, { instances: seconds > 1800 ? 1 : 3 }));
    const before = await fixture.history(shop, 86_400);
    expect(before.step).toBe(300);
    expect(before.points.length).toBeGreaterThanOrEqual(12);
    for (let times = 0; times < 2; times++) await rollUp();
    const minutes = await fixture.query('SELECT 1 FROM metric_minutes WHERE web_service_id = $1', [
      shop.web_service_id,
    ]);
    expect(minutes.length).toBeGreaterThanOrEqual(59);
    expect((await fixture.history(shop, 86_400)).points).toEqual(before.points);
    await fixture.query(
      "DELETE FROM metric_samples WHERE at < (SELECT max(at) + interval '1 minute' FROM metric_minutes)",
    );
    expect((await fixture.history(shop, 86_400)).points).toEqual(before.points);
    expect(before.points[0]?.instances).toBe(1);
    expect(before.points.at(-1)?.instances).toBe(3);
  });

  it('has the requests, with the average time until an answer, and null where they are not counted', async () => {
    const shop = await fixture.webService();
    await fixture.query('TRUNCATE metric_minutes');
    const at = sampleTime(ago(300));
    await measure(at, using(shop.web_service_id, 1, { answers: { perSecond: 10, serverErrors: 1, responseMs: 200 } }));
    await measure(
      at,
      using(shop.web_service_id, 1, { answers: { perSecond: 30, serverErrors: 0, responseMs: 1_000 } }),
    );
    await measure(sampleTime(ago(120)), using(shop.web_service_id, 1));
    const requestsOf = async (period: number) =>
      (await fixture.history(shop, period)).points.map(({ requests }) => requests);
    const expected = { per_second: 20, errors_per_second: 0.5, response_ms: 30 };
    expect(await requestsOf(3600)).toEqual([expected, null]);
    await rollUp();
    expect((await requestsOf(86_400)).filter(requests => requests !== null)).toEqual([expected]);
  });

  it('of a week has at most 300 points', async () => {
    const shop = await fixture.webService();
    await fixture.query(
      `INSERT INTO metric_minutes SELECT $1, at, 12, 100, 10, 1000, 5, 1
       FROM generate_series(date_trunc('minute', now()) - interval '8 days', now(), interval '1 minute') AS at`,
      [shop.web_service_id],
    );
    const { step, points } = await fixture.history(shop, 604_800);
    expect(step).toBe(3600);
    expect(points).toHaveLength(168);
    expect(Date.parse(points[0]?.timestamp as string)).toBeGreaterThan(ago(604_800).getTime());
  });

  it('keeps samples for six hours and minutes for a week', async () => {
    const shop = await fixture.webService();
    for (const seconds of [7 * 3600, 60]) await measure(ago(seconds), using(shop.web_service_id, 100));
    const counted = async (table: string) =>
      (await fixture.query(`SELECT 1 FROM ${table} WHERE web_service_id = $1`, [shop.web_service_id])).length;
    await fixture.query('TRUNCATE metric_minutes');
    const soon = new Date(Date.now() + 60_000);
    await rollUp(soon);
    await fixture.deleteOldRows(soon);
    expect([await counted('metric_samples'), await counted('metric_minutes')]).toEqual([1, 2]);
    await fixture.deleteOldRows(new Date(Date.now() + 8 * 86_400_000));
    expect([await counted('metric_samples'), await counted('metric_minutes')]).toEqual([0, 0]);
  });

  it('has neither samples nor minutes of a web service that was deleted in the meantime', async () => {
    const { web_service_id } = await fixture.webService();
    await measure(ago(60), using(web_service_id, 100));
    await fixture.query('DELETE FROM web_service_standings WHERE web_service_id = $1', [web_service_id]);
    const rows = (table: string) => fixture.query(`SELECT 1 FROM ${table} WHERE web_service_id = $1`, [web_service_id]);
    await rollUp(new Date(Date.now() + 60_000));
    expect(await rows('metric_minutes')).toEqual([]);
    await fixture.query('DELETE FROM metric_samples WHERE web_service_id = $1', [web_service_id]);
    await measure(new Date(), using(web_service_id, 100));
    expect(await rows('metric_samples')).toEqual([]);
  });
});
