import type { EmailCounts } from '../api-shapes.js';

type Day = EmailCounts & { readonly date: string };

/** One day of the chart in units of the drawing; `y` grows downwards, as in SVG. */
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

/** The lowest of 1, 2, 5, 10, 20, 50 … that is not below `most`: an axis that ends on a number people can halve. */
export const axisEnd = (most: number): number => {
  if (most <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map(step => step * power).find(end => end >= most) ?? 10 * power;
};

/** From the floor up. */
export const PARTS = ['delivered', 'bounced', 'open'] as const;

/** What was tried on a day, by what became of it. A delivery that comes without a known hand-over is never negative. */
export const partsOfDay = (day: EmailCounts): { delivered: number; bounced: number; open: number } => {
  const bounced = day.bounced_hard + day.bounced_soft;
  return { delivered: day.delivered, bounced, open: Math.max(0, day.sent + day.failed - day.delivered - bounced) };
};

/** Where the axis of these days ends. */
export const axisEndOf = (days: readonly EmailCounts[]): number =>
  axisEnd(Math.max(0, ...days.map(day => Object.values(partsOfDay(day)).reduce((sum, part) => sum + part, 0))));

/** Stacks every day from the floor up: delivered, then bounced, then what is still open. */
export const barsOf = (days: readonly Day[], size: { width: number; height: number }): Bar[] => {
  const end = axisEndOf(days);
  const step = size.width / Math.max(1, days.length);
  return days.map((day, index) => {
    const parts = partsOfDay(day);
    let floor = size.height;
    return {
      date: day.date,
      x: index * step + step * 0.1,
      width: step * 0.8,
      parts: PARTS.filter(kind => parts[kind] > 0).map(kind => {
        const height = (parts[kind] / end) * size.height;
        floor -= height;
        return { kind, y: floor, height };
      }),
    };
  });
};
