import { markerIn } from '../message-plan.js';
import type { Observation, ObservedTraffic } from '../observed-traffic.js';

/** What is answered before a backup may be committed after it. */
const MARGIN_MS = 3_000;
/** Other services rebuild everything from the logs of these. */
const HOLDING_RECORDS = { sends: 'email-send', tracks: 'delivery-tracking' };

type During = (from: number, to?: number) => boolean;

const duringRestoreOf = ({ restored }: ObservedTraffic, service: string): During => {
  const lost = restored.filter(each => each.service === service);
  return (from, to = from) => lost.some(each => to >= each.from - MARGIN_MS && from <= each.to);
};

/** Messages whose own records, or records of their delivery, were lost with a database that was restored from a backup. */
const affectedMarkers = (traffic: ObservedTraffic): ReadonlySet<string> => {
  const sends = duringRestoreOf(traffic, HOLDING_RECORDS.sends);
  const tracks = duringRestoreOf(traffic, HOLDING_RECORDS.tracks);
  const tracked = new Set([
    ...traffic.reports.filter(({ takenAt }) => takenAt !== null && tracks(takenAt)).map(({ emailId }) => emailId),
    ...traffic.visits.filter(({ at }) => tracks(at)).map(({ emailId }) => emailId),
  ]);
  return new Set([
    ...traffic.requests
      .filter(({ attempts }) => sends(attempts[0]?.startedAt ?? 0, attempts.at(-1)?.endedAt))
      .map(({ marker }) => marker),
    ...traffic.taken.filter(({ at, emailId }) => sends(at) || tracked.has(emailId)).map(({ marker }) => marker),
  ]);
};

/** Leaves out the messages that a restored database need not know; all rules hold for the others. */
export const outsideRestores = (
  traffic: ObservedTraffic,
  observation: Observation,
): { readonly traffic: ObservedTraffic; readonly observation: Observation } => {
  if (traffic.restored.length === 0) return { traffic, observation };
  const markers = affectedMarkers(traffic);
  const ids = new Set([
    ...traffic.taken.filter(({ marker }) => markers.has(marker)).map(({ emailId }) => emailId),
    ...traffic.requests
      .filter(({ marker }) => markers.has(marker))
      .flatMap(({ attempts }) => attempts.flatMap(({ emailId, record }) => record?.id ?? emailId ?? [])),
    ...observation.listed.filter(({ subject }) => markers.has(markerIn(subject) ?? '')).map(({ id }) => id),
  ]);
  const known = <Item extends { readonly emailId: string }>(items: readonly Item[]) =>
    items.filter(({ emailId }) => !ids.has(emailId));
  return {
    traffic: {
      ...traffic,
      requests: traffic.requests.filter(({ marker }) => !markers.has(marker)),
      taken: known(traffic.taken),
      refused: traffic.refused.filter(({ recipient }) => !markers.has(markerIn(recipient) ?? '')),
      reports: known(traffic.reports),
      visits: known(traffic.visits),
      calls: known(traffic.calls),
    },
    observation: {
      ...observation,
      records: new Map([...observation.records].filter(([id]) => !ids.has(id))),
      listed: observation.listed.filter(({ id }) => !ids.has(id)),
      isPart: markers.size > 0,
    },
  };
};
