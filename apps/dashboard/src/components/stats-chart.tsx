import type { EmailStats } from '@postern/contracts';
import { formatCount, formatDay } from '../formatting.js';
import { axisEndOf, barsOf, PARTS, partsOfDay } from './chart-scale.js';
import { DaysTable } from './days-table.js';

const SIZE = { width: 600, height: 150 };
const NAMES = { delivered: 'Delivered', bounced: 'Bounced', open: 'Pending' } as const;

/** A bar for each UTC day, with the same numbers in a table that can be expanded. */
export const StatsChart = ({ days }: { readonly days: EmailStats['days'] }) => {
  const end = axisEndOf(days);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure class="chart">
      <div class="plot">
        {/* Labels are outside the SVG because the SVG is stretched to the available width. */}
        <div class="scale" aria-hidden="true">
          <span>{formatCount(end)}</span>
          <span>{end % 2 === 0 && formatCount(end / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Recipients by day. The table below has the numbers."
        >
          {[0, 0.5, 1].map(share => (
            <line key={share} x1={0} x2={SIZE.width} y1={share * SIZE.height} y2={share * SIZE.height} />
          ))}
          {barsOf(days, SIZE).map(bar => (
            <g key={bar.date}>
              <title>{titleOf(days.find(({ date }) => date === bar.date))}</title>
              <rect class="whole" x={bar.x} y={0} width={bar.width} height={SIZE.height} />
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
        <span>Recipients per day (UTC)</span>
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

/** The tooltip of a bar. */
const titleOf = (day: EmailStats['days'][number] | undefined): string => {
  if (!day) return '';
  const parts = partsOfDay(day);
  return `${formatDay(day.date)}: ${PARTS.map(kind => `${formatCount(parts[kind])} ${NAMES[kind].toLowerCase()}`).join(', ')}`;
};
