/** A value at a time, in milliseconds since 1970. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** The time at the left edge and at the right edge. */
  readonly from: number;
  readonly to: number;
  /** The value at the upper edge. */
  readonly most: number;
  /** Samples further apart than this are not joined: nothing ran in between. */
  readonly gap: number;
}

/** The `d` of an SVG path through `samples`, oldest first; a sample with no neighbour is a dot. */
export const sparklinePath = (samples: readonly Sample[], frame: Frame): string => {
  const { width, height, from, to, most, gap } = frame;
  const point = ({ at, value }: Sample): string => {
    const x = ((at - from) / Math.max(1, to - from)) * width;
    const y = height - (Math.min(value, most) / most) * height;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return samples
    .map((sample, index) => {
      const before = samples[index - 1];
      const joined = before !== undefined && sample.at - before.at <= gap;
      return joined ? `L${point(sample)}` : `M${point(sample)}h0`;
    })
    .join('');
};
