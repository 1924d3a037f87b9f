import { groupBy } from './evidence.js';
import type { Rule } from './violation.js';

/** A message with the response `sent` is at the relay. */
export const nothingLost: Rule = ({ requests, taken }) => {
  const byMarker = groupBy(taken, ({ marker }) => marker);
  return requests.flatMap(({ marker, attempts }) => {
    const sent = attempts.find(({ status, record }) => status === 200 && record?.status === 'sent');
    if (!sent || byMarker.has(marker)) return [];
    return [{ rule: 'lost', marker, emailId: sent.record?.id, detail: 'answered 200 sent; the relay never had it' }];
  });
};
