import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api-client.js';
import { asSentence, formatWait } from '../formatting.js';

interface NoticeProps {
  readonly kind: 'good' | 'warning' | 'bad' | 'plain';
  readonly children: ComponentChildren;
}

/** Announced by screen readers when it appears; errors interrupt, everything else is polite. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** Shows the message of the API, and the time of a retry if the API returns one. */
export const ErrorNotice = ({ error }: { readonly error: ApiError | undefined }) =>
  error ? (
    <Notice kind="bad">
      {asSentence(error.message.replace(TIME_IN_UTC, ''))}
      {error.retryAfterS !== null && ` Try again in ${formatWait(error.retryAfterS)}, at ${clock(error.retryAfterS)}.`}
    </Notice>
  ) : null;

/** The API returns the retry time in UTC; the notice shows it in the time zone of the browser. */
const TIME_IN_UTC = / ?Try again in [^.]* UTC\.$/;

const clock = (inSeconds: number): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(
    new Date(Date.now() + inSeconds * 1000),
  );
