/** Median, minimum and maximum of several rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws RangeError without values. */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: percentile(sorted, 50), min: percentile(sorted, 0), max: percentile(sorted, 100) };
};

/** Interpolates between neighbours. `sorted` is ascending. */
export const percentile = (sorted: ArrayLike<number>, percent: number): number => {
  if (sorted.length === 0) throw new RangeError('nothing was measured');
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
};

/** Ratios round by round, because adjacent rounds have the same conditions. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((value, round) => value / (theirs[round] as number)));
