import { formatTime, NOTHING } from '../formatting.js';

/** In the reader's own time zone; the exact UTC time on hovering. */
export const Time = ({ at }: { readonly at: string | null }) => (
  <time dateTime={at ?? undefined} title={at ?? undefined}>
    {at === null ? NOTHING : formatTime(at)}
  </time>
);
