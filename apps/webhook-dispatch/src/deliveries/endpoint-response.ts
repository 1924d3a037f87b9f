/** The response of an endpoint to one request. */
export interface EndpointResponse {
  /** HTTP status; undefined if there was no response. */
  readonly status?: number;
  /** The reason why there is no status. */
  readonly error?: string;
  /** The first 16 KiB of the body. */
  readonly responseHead?: string;
  readonly latencyMs: number;
}

export type AttemptOutcome = 'accepted' | 'refused' | 'retry';

/** 2xx is accepted and 4xx is refused; everything else (5xx, redirects, timeouts, network errors) is retried. */
export const outcomeOf = ({ status }: Pick<EndpointResponse, 'status'>): AttemptOutcome => {
  if (status === undefined) return 'retry';
  if (status >= 200 && status < 300) return 'accepted';
  return status >= 400 && status < 500 ? 'refused' : 'retry';
};
