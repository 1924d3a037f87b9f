import { formatExactTime } from '../formatting.js';
import { axisEnd } from './chart-scale.js';
import { columnsOf, type Sample, sparklinePath } from './sparkline-path.js';
import { Time } from './time.js';

const SIZE = { width: 300, height: 80 };

interface SparklineProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  /** The limit at the same times; drawn as a separate line. */
  readonly limits?: readonly Sample[];
  readonly window: { readonly from: number; readonly to: number };
  readonly gap: number;
  readonly format: (value: number) => string;
}

/** A value over time as a line, with its current and highest value and its limit as text, and each value as a tooltip. */
export const Sparkline = ({ title, samples, limits = [], window, gap, format }: SparklineProps) => {
  const highest = Math.max(0, ...samples.map(({ value }) => value));
  const latest = samples.at(-1)?.value ?? 0;
  const inset = 4;
  const limit = limits.at(-1)?.value;
  const maximum = axisEnd(Math.max(highest, ...limits.map(({ value }) => value)));
  const plot = { width: SIZE.width, height: SIZE.height - 2 * inset, ...window, maximum, gap };
  const summary = `now ${format(latest)}, peak ${format(highest)}${limit === undefined ? '' : `, limit ${format(limit)}`}`;
  return (
    <figure class="sparkline">
      <figcaption>
        <strong>{title}</strong> <span class="hint">{summary}</span>
      </figcaption>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          <span>{format(maximum)}</span>
          <span>{format(0)}</span>
        </div>
        <svg
          viewBox={`0 ${-inset} ${SIZE.width} ${SIZE.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${summary}`}
        >
          {limits.length > 0 && <path class="limit" d={sparklinePath(limits, plot)} />}
          <path d={sparklinePath(samples, plot)} />
          {columnsOf(samples, { width: SIZE.width, ...window, gap }).map(({ sample: { at, value }, x, width }) => (
            <rect key={at} x={x} y={-inset} width={width} height={SIZE.height}>
              <title>{`${format(value)}, ${formatExactTime(new Date(at).toISOString())}`}</title>
            </rect>
          ))}
        </svg>
        <div class="span" aria-hidden="true">
          <Time at={new Date(window.from).toISOString()} />
          <span>now</span>
        </div>
      </div>
    </figure>
  );
};
