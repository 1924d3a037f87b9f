/** The middle of several rounds, and how far they lay apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws RangeError for no values at all. */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: percentile(sorted, 50), min: percentile(sorted, 0), max: percentile(sorted, 100) };
};

/** Interpolates between neighbours. `sorted` ascends. */
export const percentile = (sorted: ArrayLike<number>, percent: number): number => {
  if (sorted.length === 0) throw new RangeError('nothing was measured');
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
};

/** Round by round, for rounds that lay side by side had the same weather. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((value, round) => value / (theirs[round] as number)));
