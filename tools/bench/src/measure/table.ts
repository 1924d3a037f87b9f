import type { Spread } from './statistics.js';

/** Aligns columns: the first one left, numbers right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map(width => '─'.repeat(width))), ...rows.map(line)].join('\n');
};

export const figure = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** `median (min–max)`. */
export const spread = ({ median, min, max }: Spread, digits = 0): string =>
  `${figure(median, digits)} (${figure(min, digits)}–${figure(max, digits)})`;
