import type { Attempt, TakenCopy } from '../observed-traffic.js';
import { groupBy } from './evidence.js';
import type { Rule } from './violation.js';

/** A 5xx without `Email-Id` means that nothing was or will be sent. */
const deniesSending = ({ status, emailId }: Attempt): boolean => status !== null && status >= 500 && emailId === null;

/** The attempt that a copy came from: the last one that had started when the relay accepted the copy. */
const originOf = (copy: TakenCopy, attempts: readonly Attempt[]): Attempt | undefined =>
  attempts.findLast(({ startedAt }) => startedAt <= copy.at);

/** A message whose sending a 5xx without `Email-Id` denied is not at the relay. */
export const refusalsTrue: Rule = ({ requests, taken }) => {
  const byMarker = groupBy(taken, ({ marker }) => marker);
  return requests.flatMap(({ marker, attempts, keyed }) =>
    (byMarker.get(marker) ?? []).flatMap(copy => {
      const attempt = originOf(copy, attempts);
      // The origin may also be an earlier attempt without a response.
      const ambiguous = attempts.some(({ status, startedAt }) => status === null && startedAt < copy.at);
      if (!attempt || ambiguous || !deniesSending(attempt)) return [];
      return [
        {
          rule: 'untold',
          marker,
          emailId: copy.emailId,
          detail: `${attempt.status} without Email-Id (${keyed ? 'with' : 'without'} Idempotency-Key), but the relay has it`,
        },
      ];
    }),
  );
};
