import type { EmailStats } from '../api-shapes.js';
import { formatCount, formatDay } from '../formatting.js';
import { axisEnd, barsOf, partsOfDay } from './chart-scale.js';

const SIZE = { width: 600, height: 140 };
const AXIS = 34;
const NAMES = { delivered: 'Delivered', bounced: 'Bounced', open: 'No answer yet' } as const;

/** Bars by UTC day. The drawing is for the eye; the same numbers stand in a table that can be unfolded. */
export const StatsChart = ({ days }: { readonly days: EmailStats['days'] }) => {
  const end = axisEnd(
    Math.max(0, ...days.map(day => Object.values(partsOfDay(day)).reduce((sum, part) => sum + part, 0))),
  );
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${SIZE.width + AXIS} ${SIZE.height + 24}`}
        role="img"
        aria-label="Recipients by day; the table below has the numbers"
      >
        {[1, 0.5, 0].map(share => (
          <g key={share} class="axis">
            <line
              x1={AXIS}
              x2={SIZE.width + AXIS}
              y1={8 + (1 - share) * SIZE.height}
              y2={8 + (1 - share) * SIZE.height}
            />
            <text x={AXIS - 6} y={12 + (1 - share) * SIZE.height} text-anchor="end">
              {Number.isInteger(end * share) ? formatCount(end * share) : ''}
            </text>
          </g>
        ))}
        {barsOf(days, SIZE).map(bar => (
          <g key={bar.date} transform={`translate(${AXIS} 8)`}>
            {bar.parts.map(part => (
              <rect key={part.kind} class={part.kind} x={bar.x} y={part.y} width={bar.width} height={part.height} />
            ))}
          </g>
        ))}
        <g class="axis">
          <text x={AXIS} y={SIZE.height + 22}>
            {days[0] && formatDay(days[0].date)}
          </text>
          <text x={SIZE.width + AXIS} y={SIZE.height + 22} text-anchor="end">
            {days.at(-1) && formatDay(days.at(-1)!.date)}
          </text>
        </g>
      </svg>
      <figcaption>
        {Object.entries(NAMES).map(([kind, name]) => (
          <span key={kind} class="legend">
            <i class={kind} aria-hidden="true" /> {name}
          </span>
        ))}
      </figcaption>
      <DaysTable days={days} />
    </figure>
  );
};

const DaysTable = ({ days }: { readonly days: EmailStats['days'] }) => {
  const busy = days.filter(day => day.accepted > 0).toReversed();
  return (
    <details>
      <summary>Numbers by day</summary>
      {busy.length === 0 ? (
        <p class="hint">No message was accepted on any of these days.</p>
      ) : (
        <div class="scrolls">
          <table class="compact">
            <thead>
              <tr>
                {['Day (UTC)', 'Recipients', 'Delivered', 'Bounced', 'Complained', 'Opened', 'Clicked'].map(title => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.map(day => (
                <tr key={day.date}>
                  <th scope="row">{formatDay(day.date)}</th>
                  {[day.accepted, day.delivered, partsOfDay(day).bounced, day.complained, day.opened, day.clicked].map(
                    (count, column) => (
                      <td key={String(column)}>{formatCount(count)}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
};
