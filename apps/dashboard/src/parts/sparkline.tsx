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

/** How a value went; the drawing is for the eye, its latest and highest value stand beside it. */
export const Sparkline = ({ title, samples, window, gap, format }: SparklineProps) => {
  const highest = Math.max(0, ...samples.map(({ value }) => value));
  const latest = samples.at(-1)?.value ?? 0;
  const inset = 4;
  const path = sparklinePath(samples, {
    width: SIZE.width,
    height: SIZE.height - 2 * inset,
    ...window,
    most: axisEnd(highest),
    gap,
  });
  const words = `${format(latest)} at last, ${format(highest)} at most`;
  return (
    <figure class="sparkline">
      <figcaption>
        <strong>{title}</strong> <span class="hint">{words}</span>
      </figcaption>
      <svg
        viewBox={`0 ${-inset} ${SIZE.width} ${SIZE.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${words}`}
      >
        <path d={path} />
      </svg>
    </figure>
  );
};
