/** How values are shown and where the axis has its marks. */
export interface Unit {
  readonly format: (value: number) => string;
  /** Whether the marks are powers of two, as for bytes. */
  readonly binary?: boolean;
  /** The least distance of two marks, 1 if absent: a power of ten. */
  readonly least?: number;
}

type Scale = Pick<Unit, 'binary' | 'least'>;

const DECIMAL_STEPS = [1, 2, 5, 10] as const;
const BINARY_STEPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024] as const;

/** The smallest step of the axis with at most `marks` marks up to `maximum`. */
export const stepOf = (maximum: number, { binary = false, least: smallest = 1 }: Scale, marks = 4): number => {
  const least = Math.max(maximum, Number.MIN_VALUE) / marks;
  const power = binary
    ? 1_024 ** Math.max(0, Math.floor(Math.log2(least) / 10))
    : Math.max(smallest, 10 ** Math.floor(Math.log10(least)));
  const steps = (binary ? BINARY_STEPS : DECIMAL_STEPS).map(step => step * power);
  return steps.find(step => step >= least) ?? steps.at(-1)!;
};

/** The upper end of the axis: a whole number of steps that shows the highest value, without the limit far above it. */
export const axisEndOf = (maximum: number, unit: Scale): number => {
  if (maximum <= 0) return 1;
  const step = stepOf(maximum, unit);
  return Math.ceil(maximum / step) * step;
};

/** The marks of the axis from 0 to its end. */
export const marksOf = (end: number, unit: Scale): number[] => {
  const step = stepOf(end, unit);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
};

/** Inserts a gap where samples are further apart than `gapS`, so that no line crosses it. Times are in seconds. */
export const withGaps = (
  times: readonly number[],
  values: readonly (number | null)[],
  gapS: number,
): readonly [times: number[], values: (number | null)[]] => {
  const shown: [number[], (number | null)[]] = [[], []];
  times.forEach((time, index) => {
    const before = times[index - 1];
    if (before !== undefined && time - before > gapS) {
      shown[0].push(before + 1);
      shown[1].push(null);
    }
    shown[0].push(time);
    shown[1].push(values[index] ?? null);
  });
  return shown;
};
