import { eventKey, type ObservedTraffic } from '../observed-traffic.js';
import type { Rule } from './violation.js';

const EVENT_OF = { delivered: 'delivered', bounced_hard: 'bounced', bounced_soft: 'bounced', complained: 'complained' };

/** Expected events: one for each report that Postern accepted and each visit that it answered. */
const expected = ({ reports, visits }: ObservedTraffic) => [
  ...reports.flatMap(({ kind, emailId, recipient, takenAt }) =>
    kind === 'delayed' || takenAt === null ? [] : [{ event: EVENT_OF[kind], emailId, recipient }],
  ),
  ...visits
    .filter(({ answered }) => answered)
    .map(({ kind, emailId, recipient }) => ({ event: kind, emailId, recipient })),
];

/** Every event is delivered at least once with a valid signature, or is still listed as scheduled. */
export const webhooksComplete: Rule = (traffic, { scheduled }) => {
  const received = new Set(
    traffic.calls
      .filter(({ accepted, unsigned }) => accepted && unsigned === null)
      .map(({ event, emailId, recipient }) => eventKey(event, emailId, recipient)),
  );
  const missing = new Map(
    expected(traffic).map(({ event, emailId, recipient }) => [
      eventKey(event, emailId, recipient),
      { rule: 'event missing', emailId, detail: `${event} of ${recipient} was never told` },
    ]),
  );
  return [...missing].filter(([key]) => !received.has(key) && !scheduled.has(key)).map(([, violation]) => violation);
};
