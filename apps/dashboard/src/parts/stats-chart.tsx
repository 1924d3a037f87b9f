import type { EmailStats } from '../api-shapes.js';
import { formatCount, formatDay } from '../formatting.js';
import { axisEndOf, barsOf, PARTS } from './chart-scale.js';
import { DaysTable } from './days-table.js';

const SIZE = { width: 600, height: 150 };
const NAMES = { delivered: 'Delivered', bounced: 'Bounced', open: 'No answer yet' } as const;

/** Bars by UTC day. The drawing is for the eye; the same numbers stand in a table that can be unfolded. */
export const StatsChart = ({ days }: { readonly days: EmailStats['days'] }) => {
  const end = axisEndOf(days);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure class="chart">
      <div class="plot">
        {/* Texts stand beside the drawing, not in it: the drawing is stretched to the width there is. */}
        <div class="scale" aria-hidden="true">
          <span>{formatCount(end)}</span>
          <span>{end % 2 === 0 && formatCount(end / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Recipients by day; the table below has the numbers"
        >
          {[0, 0.5, 1].map(share => (
            <line key={share} x1={0} x2={SIZE.width} y1={share * SIZE.height} y2={share * SIZE.height} />
          ))}
          {barsOf(days, SIZE).map(bar => (
            <g key={bar.date}>
              {bar.parts.map(part => (
                <rect key={part.kind} class={part.kind} x={bar.x} y={part.y} width={bar.width} height={part.height} />
              ))}
            </g>
          ))}
        </svg>
        {first && last && (
          <div class="span" aria-hidden="true">
            <span>{formatDay(first.date)}</span>
            <span>{formatDay(last.date)}</span>
          </div>
        )}
      </div>
      <figcaption>
        {PARTS.map(kind => (
          <span key={kind} class="legend">
            <i class={kind} aria-hidden="true" /> {NAMES[kind]}
          </span>
        ))}
      </figcaption>
      <DaysTable days={days} />
    </figure>
  );
};
