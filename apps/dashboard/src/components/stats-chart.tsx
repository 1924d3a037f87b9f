import type { EmailCounts, EmailStats } from '@postern/contracts';
import { formatCount, formatDay } from '../formatting.js';
import { Chart } from './chart.js';
import { DaysTable } from './days-table.js';
import { axisEndOf, type Unit } from './plot-scale.js';

const UNIT: Unit = { format: formatCount };
const HALF_DAY_S = 43_200;

/** The recipients of a day by result; `open` is never negative, even when a delivery is counted before its send. */
const partsOfDay = (day: EmailCounts) => {
  const bounced = day.bounced_hard + day.bounced_soft;
  return { delivered: day.delivered, bounced, open: Math.max(0, day.sent + day.failed - day.delivered - bounced) };
};

/** A bar for each UTC day, with the same numbers in a table that can be expanded. */
export const StatsChart = ({ days }: { readonly days: EmailStats['days'] }) => {
  const parts = days.map(partsOfDay);
  const totals = parts.map(({ delivered, bounced, open }) => delivered + bounced + open);
  const times = days.map(({ date }) => Date.parse(date) / 1_000 + HALF_DAY_S);
  const sum = (part: keyof ReturnType<typeof partsOfDay>) =>
    formatCount(parts.reduce((total, day) => total + day[part], 0));
  // Bars are drawn over each other, the whole day first.
  const series = [
    { label: 'Pending', values: totals, colour: '--edge', bars: true },
    {
      label: 'Bounced',
      values: parts.map(({ delivered, bounced }) => delivered + bounced),
      colour: '--bad',
      bars: true,
    },
    { label: 'Delivered', values: parts.map(({ delivered }) => delivered), colour: '--good', bars: true },
  ] as const;
  return (
    <Chart
      title="Recipients per day (UTC)"
      summary={`${sum('delivered')} delivered, ${sum('bounced')} bounced, ${sum('open')} pending`}
      times={times}
      series={series}
      unit={UNIT}
      end={axisEndOf(Math.max(0, ...totals), UNIT)}
      from={(times[0] ?? 0) - HALF_DAY_S}
      to={(times.at(-1) ?? 0) + HALF_DAY_S}
      timeOf={seconds => formatDay(new Date(seconds * 1_000).toISOString().slice(0, 10))}
      height={200}
    >
      <DaysTable days={days} />
    </Chart>
  );
};
