import { axisEnd } from './chart-scale.js';
import { type Sample, sparklinePath } from './sparkline-path.js';

const SIZE = { width: 300, height: 80 };

interface SparklineProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  readonly window: { readonly from: number; readonly to: number };
  readonly gap: number;
  readonly format: (value: number) => string;
}

/** A value over time as a line, with its current and highest value as text. */
export const Sparkline = ({ title, samples, window, gap, format }: SparklineProps) => {
  const highest = Math.max(0, ...samples.map(({ value }) => value));
  const latest = samples.at(-1)?.value ?? 0;
  const inset = 4;
  const path = sparklinePath(samples, {
    width: SIZE.width,
    height: SIZE.height - 2 * inset,
    ...window,
    maximum: axisEnd(highest),
    gap,
  });
  const summary = `now ${format(latest)}, peak ${format(highest)}`;
  return (
    <figure class="sparkline">
      <figcaption>
        <strong>{title}</strong> <span class="hint">{summary}</span>
      </figcaption>
      <svg
        viewBox={`0 ${-inset} ${SIZE.width} ${SIZE.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${summary}`}
      >
        <path d={path} />
      </svg>
    </figure>
  );
};
