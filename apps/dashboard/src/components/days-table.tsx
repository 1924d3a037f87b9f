import type { EmailStats } from '@postern/contracts';
import { formatCount, formatDay } from '../formatting.js';
import { ScrollRegion } from './scrolling.js';

type Day = EmailStats['days'][number];

const COLUMNS: readonly (readonly [title: string, count: (day: Day) => number])[] = [
  ['Recipients', day => day.accepted],
  ['Sent', day => day.sent],
  ['Failed', day => day.failed],
  ['Unknown', day => day.unknown ?? 0],
  ['Delivered', day => day.delivered],
  ['Bounced', day => day.bounced_hard + day.bounced_soft],
  ['Complained', day => day.complained],
  ['Opened', day => day.opened],
  ['Clicked', day => day.clicked],
  ['Retry requested', day => day.retry_requested ?? 0],
];

/** The numbers of the chart, newest day first, without days that have no numbers. */
export const DaysTable = ({ days }: { readonly days: readonly Day[] }) => (
  <details>
    <summary>Daily totals</summary>
    <ScrollRegion label="Daily totals">
      <table class="compact">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            {COLUMNS.map(([title]) => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .filter(day => day.accepted + (day.retry_requested ?? 0) > 0)
            .toReversed()
            .map(day => (
              <tr key={day.date}>
                <th scope="row">{formatDay(day.date)}</th>
                {COLUMNS.map(([title, count]) => (
                  <td key={title} class="numeric">
                    {formatCount(count(day))}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </ScrollRegion>
  </details>
);
