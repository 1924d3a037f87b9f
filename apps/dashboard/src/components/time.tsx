import { formatTime, NO_VALUE } from '../formatting.js';

/** Shows a time in the browser's time zone, with the exact UTC time as a tooltip. */
export const Time = ({ at }: { readonly at: string | null }) => (
  <time dateTime={at ?? undefined} title={at ?? undefined}>
    {at === null ? NO_VALUE : formatTime(at)}
  </time>
);
