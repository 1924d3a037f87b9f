import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { monthOf } from '../moderation/bandwidth.js';
import { CountTraffic } from '../moderation/count-traffic.js';
import type { ServiceUsage } from '../ports/runtime.js';
import { MeasuredRuntime, MetricsFixture, NotedSuspensions } from '../testing/metrics-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';
import { sampleTime } from './metrics.js';
import { RollUpMetrics } from './roll-up-metrics.js';
import { SampleMetrics } from './sample-metrics.js';

let house: MetricsFixture;
beforeAll(async () => {
  house = await MetricsFixture.start({ POSTERN_PLATFORM_MONTHLY_BANDWIDTH_GB: '1' });
}, 60_000);
afterAll(() => house?.stop());
beforeEach(() => {
  MeasuredRuntime.running = [];
  MeasuredRuntime.traffic = [];
  NotedSuspensions.noted = [];
});

const using = (webServiceId: string, cpuMillicores: number, wishes: Partial<ServiceUsage> = {}): ServiceUsage => ({
  webServiceId,
  cpuMillicores,
  cpuPercent: cpuMillicores / 10,
  memoryBytes: 64 * 1024 ** 2,
  memoryPercent: 12.5,
  instances: 1,
  ...wishes,
});

const measure = async (at: Date, ...running: ServiceUsage[]): Promise<void> => {
  MeasuredRuntime.running = running;
  await house.service.app.get(SampleMetrics, { strict: false }).run(at);
};
const rollUp = (now = new Date()) => house.service.app.get(RollUpMetrics, { strict: false }).run(now);
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe('metrics of now', () => {
  it('are what runs uses', async () => {
    const shop = await house.webService();
    await measure(new Date(), using(shop.web_service_id, 250, { instances: 2 }));
    expect(await house.current(shop)).toEqual({
      cpu: { millicores: 250, percent: 25 },
      memory: { bytes: 67_108_864, percent: 12.5 },
      instances: 2,
    });
  });

  it('are the average of what was measured within a sample', async () => {
    const shop = await house.webService();
    const at = new Date();
    for (const millicores of [100, 200, 600]) await measure(at, using(shop.web_service_id, millicores));
    expect((await house.current(shop)).cpu).toEqual({ millicores: 300, percent: 30 });
  });

  it('are nothing to report where nothing ran lately, or nothing runs any more', async () => {
    const shop = await house.webService();
    expect(await codeOf(house.current(shop))).toBe('nothing_to_report');
    await measure(ago(61), using(shop.web_service_id, 250));
    expect(await codeOf(house.current(shop))).toBe('nothing_to_report');
    await measure(new Date(), using(shop.web_service_id, 0, { instances: 0 }));
    expect(await codeOf(house.current(shop))).toBe('nothing_to_report');
    const stopped = await house.webService('stopped');
    await measure(new Date(), using(stopped.web_service_id, 250));
    expect(await codeOf(house.current(stopped))).toBe('nothing_to_report');
  });

  it('are nobody’s but the owner’s', async () => {
    const shop = await house.webService();
    await measure(new Date(), using(shop.web_service_id, 250));
    const stranger = { ...shop, user_id: uuidv7() };
    expect(await codeOf(house.current(stranger))).toBe('web_service_not_found');
    expect(await codeOf(house.history(stranger, 3600))).toBe('web_service_not_found');
    expect(await codeOf(house.current({ ...shop, web_service_id: uuidv7() }))).toBe('web_service_not_found');
  });
});

describe('the history of metrics', () => {
  it('has a point for each step in which something ran, and none in between', async () => {
    const shop = await house.webService();
    const times = [600, 585, 300].map(seconds => sampleTime(ago(seconds)));
    for (const [n, at] of times.entries()) await measure(at, using(shop.web_service_id, 100 * (n + 1)));
    const { period, step, points } = await house.history(shop, 3600);
    expect([period, step]).toEqual([3600, 15]);
    expect(points.map(({ timestamp, cpu }) => [timestamp, cpu.millicores])).toEqual(
      times.map((at, n) => [at.toISOString(), 100 * (n + 1)]),
    );
    expect((await house.history(shop, 120)).points).toEqual([]);
  });

  it('shows the same before and after samples became minutes', async () => {
    const shop = await house.webService();
    for (let seconds = 3600; seconds >= 0; seconds -= 15)
      await measure(ago(seconds), using(shop.web_service_id, seconds, { instances: seconds > 1800 ? 1 : 3 }));
    const before = await house.history(shop, 86_400);
    expect(before.step).toBe(300);
    expect(before.points.length).toBeGreaterThanOrEqual(12);
    for (let times = 0; times < 2; times++) await rollUp();
    const minutes = await house.query('SELECT 1 FROM metric_minutes WHERE web_service_id = $1', [shop.web_service_id]);
    expect(minutes.length).toBeGreaterThanOrEqual(59);
    expect((await house.history(shop, 86_400)).points).toEqual(before.points);
    await house.query(
      "DELETE FROM metric_samples WHERE at < (SELECT max(at) + interval '1 minute' FROM metric_minutes)",
    );
    expect((await house.history(shop, 86_400)).points).toEqual(before.points);
    expect(before.points[0]?.instances).toBe(1);
    expect(before.points.at(-1)?.instances).toBe(3);
  });

  it('of a week has at most 300 points', async () => {
    const shop = await house.webService();
    await house.query(
      `INSERT INTO metric_minutes SELECT $1, at, 12, 100, 10, 1000, 5, 1
       FROM generate_series(date_trunc('minute', now()) - interval '8 days', now(), interval '1 minute') AS at`,
      [shop.web_service_id],
    );
    const { step, points } = await house.history(shop, 604_800);
    expect(step).toBe(3600);
    expect(points).toHaveLength(168);
    expect(Date.parse(points[0]?.timestamp as string)).toBeGreaterThan(ago(604_800).getTime());
  });

  it('forgets samples after six hours and minutes after a week', async () => {
    const shop = await house.webService();
    for (const seconds of [7 * 3600, 60]) await measure(ago(seconds), using(shop.web_service_id, 100));
    const counted = async (table: string) =>
      (await house.query(`SELECT 1 FROM ${table} WHERE web_service_id = $1`, [shop.web_service_id])).length;
    await house.query('TRUNCATE metric_minutes');
    await rollUp(new Date(Date.now() + 60_000));
    expect([await counted('metric_samples'), await counted('metric_minutes')]).toEqual([1, 2]);
    await rollUp(new Date(Date.now() + 8 * 86_400_000));
    expect([await counted('metric_samples'), await counted('metric_minutes')]).toEqual([0, 0]);
  });
});

describe('traffic', () => {
  const count = (now = new Date()) => house.service.app.get(CountTraffic, { strict: false }).run(now);
  const bytesOf = async (webServiceId: string) =>
    (
      await house.query<{ month: string; bytes: string }>(
        'SELECT month::text, bytes FROM bandwidth_usage WHERE web_service_id = $1 ORDER BY month',
        [webServiceId],
      )
    ).map(({ month, bytes }) => [month, Number(bytes)]);

  it('is added up by month', async () => {
    const webServiceId = uuidv7();
    const [january, february] = [new Date('2026-01-31T23:59:59Z'), new Date('2026-02-01T00:00:00Z')];
    for (const [now, bytes] of [
      [january, 5],
      [january, 7],
      [february, 11],
    ] as const) {
      MeasuredRuntime.traffic = [
        { webServiceId, bytes },
        { webServiceId: uuidv7(), bytes: 0 },
      ];
      await count(now);
    }
    expect(await bytesOf(webServiceId)).toEqual([
      ['2026-01-01', 12],
      ['2026-02-01', 11],
    ]);
  });

  it('is counted once when it could not be written at first', async () => {
    const webServiceId = uuidv7();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 42 }];
    await house.query('ALTER TABLE bandwidth_usage RENAME TO bandwidth_away');
    await expect(count()).rejects.toThrow('bandwidth_usage');
    await house.query('ALTER TABLE bandwidth_away RENAME TO bandwidth_usage');
    for (let times = 0; times < 2; times++) await count();
    expect(await bytesOf(webServiceId)).toEqual([[monthOf(new Date()), 42]]);
  });

  it('beyond the bound suspends the web service, once a month', async () => {
    const webServiceId = uuidv7();
    const [march, april] = [new Date('2026-03-10T00:00:00Z'), new Date('2026-04-10T00:00:00Z')];
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 1e9 }];
    await count(march);
    expect(NotedSuspensions.noted).toEqual([]);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 1 }];
    for (let times = 0; times < 2; times++) await count(march);
    const reason = 'it used more than the 1 GB of traffic that a web service has in a month';
    expect(NotedSuspensions.noted).toEqual([[webServiceId, reason]]);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(april);
    expect(NotedSuspensions.noted).toHaveLength(2);
  });

  it('beyond the bound of one month is no reason to keep the web service suspended in the next', async () => {
    const webServiceId = uuidv7();
    const ofThis = () => NotedSuspensions.lifted.filter(id => id === webServiceId).length;
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    for (const day of ['2026-05-10', '2026-05-31T23:59:59Z']) await count(new Date(day));
    expect(ofThis()).toBe(0);
    for (const day of ['2026-06-01', '2026-06-02']) await count(new Date(day));
    expect(ofThis()).toBe(1);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(new Date('2026-06-03'));
    expect(NotedSuspensions.noted.filter(([id]) => id === webServiceId)).toHaveLength(2);
    await count(new Date('2026-07-01'));
    expect(ofThis()).toBe(2);
  });

  it('is let on again at the next look where the first one was cut off', async () => {
    const webServiceId = uuidv7();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(new Date('2026-08-10'));
    NotedSuspensions.outOfOrder = true;
    await expect(count(new Date('2026-09-01'))).rejects.toThrow('out of order');
    NotedSuspensions.outOfOrder = false;
    await count(new Date('2026-09-01'));
    expect(NotedSuspensions.lifted).toContain(webServiceId);
  });

  it('is forgotten after thirteen months', async () => {
    const webServiceId = uuidv7();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 3 }];
    await count(new Date('2026-01-31T00:00:00Z'));
    await rollUp(new Date('2027-02-28T00:00:00Z'));
    expect(await bytesOf(webServiceId)).toEqual([['2026-01-01', 3]]);
    await rollUp(new Date('2027-03-01T00:00:00Z'));
    expect(await bytesOf(webServiceId)).toEqual([]);
  });
});
