import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { MeasuredRuntime, MetricsFixture, RecordedSuspensions } from '../../testing/metrics-fixture.js';
import { monthOf } from './bandwidth.js';

const fixture = await MetricsFixture.start({ POSTERN_PLATFORM_MONTHLY_BANDWIDTH_GB: '1' });
afterAll(() => fixture.stop());
beforeEach(() => {
  MeasuredRuntime.traffic = [];
  RecordedSuspensions.recorded = [];
});

describe('the traffic of a web service', () => {
  const count = (now?: Date) => fixture.countTraffic(now);
  const bytesOf = async (webServiceId: string) =>
    (
      await fixture.query<{ month: string; bytes: string }>(
        'SELECT month::text, bytes FROM bandwidth_usage WHERE web_service_id = $1 ORDER BY month',
        [webServiceId],
      )
    ).map(({ month, bytes }) => [month, Number(bytes)]);

  it('is added up by month', async () => {
    const webServiceId = await fixture.standing();
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

  it('is counted once if the first write fails', async () => {
    const webServiceId = await fixture.standing();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 42 }];
    await fixture.query('ALTER TABLE bandwidth_usage RENAME TO bandwidth_away');
    await expect(count()).rejects.toThrow('bandwidth_usage');
    await fixture.query('ALTER TABLE bandwidth_away RENAME TO bandwidth_usage');
    for (let times = 0; times < 2; times++) await count();
    expect(await bytesOf(webServiceId)).toEqual([[monthOf(new Date()), 42]]);
  });

  it('is not stored for a web service that is deleted before it is counted', async () => {
    const [deleted, kept] = [uuidv7(), await fixture.standing()];
    MeasuredRuntime.traffic = [deleted, kept].map(webServiceId => ({ webServiceId, bytes: 7 }));
    await count();
    expect(await bytesOf(deleted)).toEqual([]);
    expect(await bytesOf(kept)).toEqual([[monthOf(new Date()), 7]]);
    expect(MeasuredRuntime.traffic).toEqual([]);
  });

  it('above the limit suspends the web service once a month', async () => {
    const webServiceId = await fixture.standing();
    const [march, april] = [new Date('2026-03-10T00:00:00Z'), new Date('2026-04-10T00:00:00Z')];
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 1e9 }];
    await count(march);
    expect(RecordedSuspensions.recorded).toEqual([]);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 1 }];
    for (let times = 0; times < 2; times++) await count(march);
    const reason = 'it used more than the 1 GB of traffic that a web service has in a month';
    expect(RecordedSuspensions.recorded).toEqual([[webServiceId, reason]]);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(april);
    expect(RecordedSuspensions.recorded).toHaveLength(2);
  });

  it('above the limit of one month does not suspend the web service in the next', async () => {
    const webServiceId = await fixture.standing();
    const ofThis = () => RecordedSuspensions.ended.filter(id => id === webServiceId).length;
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    for (const day of ['2026-05-10', '2026-05-31T23:59:59Z']) await count(new Date(day));
    expect(ofThis()).toBe(0);
    for (const day of ['2026-06-01', '2026-06-02']) await count(new Date(day));
    expect(ofThis()).toBe(1);
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(new Date('2026-06-03'));
    expect(RecordedSuspensions.recorded.filter(([id]) => id === webServiceId)).toHaveLength(2);
    await count(new Date('2026-07-01'));
    expect(ofThis()).toBe(2);
  });

  it('of a new month resumes the web service, also after an interrupted count', async () => {
    const webServiceId = await fixture.standing();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 2e9 }];
    await count(new Date('2026-08-10'));
    RecordedSuspensions.outOfOrder = true;
    await expect(count(new Date('2026-09-01'))).rejects.toThrow('out of order');
    RecordedSuspensions.outOfOrder = false;
    await count(new Date('2026-09-01'));
    expect(RecordedSuspensions.ended).toContain(webServiceId);
  });

  it('is deleted after thirteen months', async () => {
    const webServiceId = await fixture.standing();
    MeasuredRuntime.traffic = [{ webServiceId, bytes: 3 }];
    await count(new Date('2026-01-31T00:00:00Z'));
    await fixture.deleteOldRows(new Date('2027-02-28T00:00:00Z'));
    expect(await bytesOf(webServiceId)).toEqual([['2026-01-01', 3]]);
    await fixture.deleteOldRows(new Date('2027-03-01T00:00:00Z'));
    expect(await bytesOf(webServiceId)).toEqual([]);
  });
});
