import type { ObservedTraffic } from '../observed-traffic.js';

/** Emails that certainly reached the relay: Postern accepted a report about them, or answered a visit. */
export const provenEmails = ({ reports, visits }: ObservedTraffic): ReadonlySet<string> =>
  new Set([
    ...reports.filter(({ kind, takenAt }) => takenAt !== null && kind !== 'delayed').map(({ emailId }) => emailId),
    ...visits.filter(({ answered }) => answered).map(({ emailId }) => emailId),
  ]);

/** Ids that Postern returned to a client, in a record or in `Email-Id`. */
export const returnedIds = ({ requests }: ObservedTraffic): ReadonlySet<string> =>
  new Set(requests.flatMap(({ attempts }) => attempts.flatMap(({ emailId, record }) => record?.id ?? emailId ?? [])));

export const groupBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
};
