/** A value at a time in milliseconds since 1970. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

export interface Plot {
  readonly width: number;
  readonly height: number;
  /** The time at the left edge and at the right edge. */
  readonly from: number;
  readonly to: number;
  /** The value at the upper edge. */
  readonly maximum: number;
  /** Samples further apart than this, in milliseconds, are not connected. */
  readonly gap: number;
}

/** The `d` attribute of an SVG path through `samples`, oldest first; a single sample is a dot. */
export const sparklinePath = (samples: readonly Sample[], plot: Plot): string => {
  const { width, height, from, to, maximum, gap } = plot;
  const point = ({ at, value }: Sample): string => {
    const x = ((at - from) / Math.max(1, to - from)) * width;
    const y = height - (Math.min(value, maximum) / maximum) * height;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return samples
    .map((sample, index) => {
      const previous = samples[index - 1];
      const connected = previous !== undefined && sample.at - previous.at <= gap;
      return connected ? `L${point(sample)}` : `M${point(sample)}h0`;
    })
    .join('');
};

/** A part of the plot, from left to right, where the tooltip of a sample is shown. */
export interface SampleColumn {
  readonly sample: Sample;
  readonly x: number;
  readonly width: number;
}

/** The column of each sample: halfway to its neighbours, or to the end of the line. */
export const columnsOf = (
  samples: readonly Sample[],
  { width, from, to, gap }: Omit<Plot, 'height' | 'maximum'>,
): readonly SampleColumn[] => {
  const placeOf = (at: number) => ((Math.min(Math.max(at, from), to) - from) / Math.max(1, to - from)) * width;
  const half = (distance: number | undefined) => Math.min(distance ?? gap, gap) / 2;
  return samples.map((sample, index) => {
    const [before, after] = [samples[index - 1], samples[index + 1]];
    const x = placeOf(sample.at - half(before && sample.at - before.at));
    return { sample, x, width: placeOf(sample.at + half(after && after.at - sample.at)) - x };
  });
};
