import type { EmailCounts } from '@postern/contracts';

type Day = EmailCounts & { readonly date: string };

/** One day of the chart in SVG units; `y` grows downwards. */
export interface Bar {
  readonly date: string;
  readonly x: number;
  readonly width: number;
  readonly parts: readonly {
    readonly kind: (typeof PARTS)[number];
    readonly y: number;
    readonly height: number;
  }[];
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is at least `maximum`. */
export const axisEnd = (maximum: number): number => {
  if (maximum <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(maximum));
  return [1, 2, 5, 10].map(step => step * power).find(end => end >= maximum) ?? 10 * power;
};

/** In stacking order, from the baseline up. */
export const PARTS = ['delivered', 'bounced', 'open'] as const;

/** The recipients of a day by result; `open` is never negative, even when a delivery is counted before its send. */
export const partsOfDay = (day: EmailCounts): { delivered: number; bounced: number; open: number } => {
  const bounced = day.bounced_hard + day.bounced_soft;
  return { delivered: day.delivered, bounced, open: Math.max(0, day.sent + day.failed - day.delivered - bounced) };
};

/** The upper end of the axis for these days. */
export const axisEndOf = (days: readonly EmailCounts[]): number =>
  axisEnd(Math.max(0, ...days.map(day => Object.values(partsOfDay(day)).reduce((sum, part) => sum + part, 0))));

/** Stacks delivered, bounced and open recipients of each day. */
export const barsOf = (days: readonly Day[], size: { width: number; height: number }): Bar[] => {
  const end = axisEndOf(days);
  const step = size.width / Math.max(1, days.length);
  return days.map((day, index) => {
    const parts = partsOfDay(day);
    let top = size.height;
    return {
      date: day.date,
      x: index * step + step * 0.1,
      width: step * 0.8,
      parts: PARTS.filter(kind => parts[kind] > 0).map(kind => {
        const height = (parts[kind] / end) * size.height;
        top -= height;
        return { kind, y: top, height };
      }),
    };
  });
};
