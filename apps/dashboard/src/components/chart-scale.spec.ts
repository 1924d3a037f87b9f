import { describe, expect, it } from '@jest/globals';
import { axisEnd, barsOf, partsOfDay } from './chart-scale.js';

describe('the axis', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [10, 10],
    [11, 20],
    [480, 500],
    [999, 1_000],
  ])('for a maximum of %p ends at %p', (maximum, end) => expect(axisEnd(maximum)).toBe(end));
});

describe('the bars', () => {
  it('stack the results of a day from the baseline up', () => {
    const [bar] = barsOf([day({ sent: 9, failed: 1, delivered: 5, bounced_hard: 1, bounced_soft: 1 })], SIZE);
    expect(bar?.parts).toEqual([
      { kind: 'delivered', y: 50, height: 50 },
      { kind: 'bounced', y: 30, height: 20 },
      { kind: 'open', y: 0, height: 30 },
    ]);
  });

  it('share the width evenly, with gaps', () =>
    expect(barsOf([day({}), day({})], SIZE).map(({ x, width }) => [x, width])).toEqual([
      [10, 80],
      [110, 80],
    ]));

  it('are empty on a day without mail', () => expect(barsOf([day({})], SIZE)[0]?.parts).toEqual([]));

  it('are never negative when a delivery is reported before its message was counted as sent', () =>
    expect(partsOfDay(day({ sent: 0, delivered: 2 }))).toEqual({ delivered: 2, bounced: 0, open: 0 }));
});

const SIZE = { width: 200, height: 100 };

const NO_MAIL = {
  date: '2026-03-09',
  accepted: 0,
  sent: 0,
  failed: 0,
  unknown: 0,
  retry_requested: 0,
  delivered: 0,
  bounced_hard: 0,
  bounced_soft: 0,
  complained: 0,
  opened: 0,
  clicked: 0,
  machine_opens: 0,
  machine_clicks: 0,
};

const day = (counts: Partial<typeof NO_MAIL>) => ({ ...NO_MAIL, ...counts });
