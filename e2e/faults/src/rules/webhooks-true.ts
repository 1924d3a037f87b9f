import { eventKey } from '../observed-traffic.js';
import type { Rule } from './violation.js';

/** No webhook call reports an event that did not happen. */
export const webhooksTrue: Rule = ({ calls, reports, visits, refused }) => {
  const causes = new Set([
    ...reports.map(({ kind, emailId, recipient }) => eventKey(kind.replace(/_.*/, ''), emailId, recipient)),
    ...visits.map(({ kind, emailId, recipient }) => eventKey(kind, emailId, recipient)),
  ]);
  const refusedAddresses = new Set(refused.map(({ recipient }) => recipient));
  return calls.flatMap(({ event, emailId, recipient }) =>
    causes.has(eventKey(event, emailId, recipient)) || (event === 'bounced' && refusedAddresses.has(recipient))
      ? []
      : [{ rule: 'invented event', emailId, detail: `${event} of ${recipient} has no cause` }],
  );
};
