import type { EndpointResponse } from '@postern/outbound';

export type AttemptOutcome = 'accepted' | 'refused' | 'retry';

/** 2xx is accepted and 4xx is refused; everything else (5xx, redirects, timeouts, network errors) is retried. */
export const outcomeOf = ({ status }: Pick<EndpointResponse, 'status'>): AttemptOutcome => {
  if (status === undefined) return 'retry';
  if (status >= 200 && status < 300) return 'accepted';
  return status >= 400 && status < 500 ? 'refused' : 'retry';
};

/** Why an endpoint refused an event: it asked for fewer requests, it gave up waiting, or it does not want the event. */
export type RefusalKind = 'rate_limited' | 'timed_out' | 'rejected';

export const refusalOf = (status: number | null | undefined): RefusalKind =>
  status === 429 ? 'rate_limited' : status === 408 ? 'timed_out' : 'rejected';
