/** What came of one call of an endpoint. */
export interface Answer {
  /** HTTP status; undefined where none came. */
  readonly status?: number;
  /** Why there is no status. */
  readonly error?: string;
  /** The head of the body, 16 KiB at most. */
  readonly responseHead?: string;
  readonly latencyMs: number;
}

export type AttemptOutcome = 'accepted' | 'refused' | 'retry';

/** 2xx accepts, 4xx refuses for good; everything else (5xx, redirects, silence, broken connections) asks for a retry. */
export const outcomeOf = ({ status }: Pick<Answer, 'status'>): AttemptOutcome => {
  if (status === undefined) return 'retry';
  if (status >= 200 && status < 300) return 'accepted';
  return status >= 400 && status < 500 ? 'refused' : 'retry';
};
