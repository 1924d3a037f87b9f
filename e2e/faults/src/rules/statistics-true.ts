import { markerIn } from '../message-plan.js';
import type { Observation, ObservedTraffic, ReportKind } from '../observed-traffic.js';
import { groupBy } from './evidence.js';
import type { Rule, Violation } from './violation.js';

const distinct = (items: readonly { emailId: string; recipient: string }[]): number =>
  new Set(items.map(({ emailId, recipient }) => `${emailId} ${recipient}`)).size;

/** The counts that follow from the traffic, each with the maximum that an unanswered report or visit may add. */
const expectedCounts = (
  { reports, calls }: ObservedTraffic,
  refused: number,
): Record<string, readonly [number, number]> => {
  const between = (kind: ReportKind, more = 0): readonly [number, number] => {
    const all = reports.filter(report => report.kind === kind);
    return [distinct(all.filter(({ takenAt }) => takenAt !== null)) + more, distinct(all) + more];
  };
  const exactly = (event: string): readonly [number, number] => {
    const count = distinct(calls.filter(call => call.event === event && !call.machine));
    return [count, count];
  };
  return {
    delivered: between('delivered'),
    bounced_hard: between('bounced_hard', refused),
    bounced_soft: between('bounced_soft'),
    complained: between('complained'),
    opened: exactly('opened'),
    clicked: exactly('clicked'),
  };
};

const refusedRows = ({ refused }: ObservedTraffic, { listed }: Observation): number => {
  const addresses = new Set(refused.map(({ recipient }) => recipient));
  return listed.flatMap(({ recipients }) =>
    recipients.filter(({ address, state }) => addresses.has(address) && state === 'bounced'),
  ).length;
};

/** Recipients that the statistics count; for `not_sent` the client must send again. */
const counted = (listed: Observation['listed']) =>
  listed.flatMap(({ recipients }) => recipients).filter(({ state }) => state !== 'not_sent');

/** The totals add up and equal the traffic. */
const totalsTrue = (traffic: ObservedTraffic, observation: Observation): readonly Violation[] => {
  const { totals } = observation;
  const violations: Violation[] = [];
  const wrong = (detail: string) => violations.push({ rule: 'wrong statistics', detail });
  const of = (name: string) => totals[name] ?? 0;

  if (of('accepted') !== of('sent') + of('failed') + of('unknown'))
    wrong(`accepted ${of('accepted')} is not sent ${of('sent')} + failed ${of('failed')} + unknown ${of('unknown')}`);
  const recipients = counted(observation.listed).length;
  if (of('accepted') !== recipients)
    wrong(
      `accepted ${of('accepted')}, but the list has ${recipients} recipients to whom it did not answer "try again"`,
    );
  for (const [name, [least, most]] of Object.entries(expectedCounts(traffic, refusedRows(traffic, observation))))
    if (of(name) < least || of(name) > most)
      wrong(`${name} ${of(name)}, but the traffic has ${least === most ? least : `${least} to ${most}`}`);

  return violations;
};

/** The statistics are true, and count a repeated request once. */
export const statisticsTrue: Rule = (traffic, observation) => {
  const { listed, isPart } = observation;
  const violations = isPart ? [] : [...totalsTrue(traffic, observation)];
  const byMarker = groupBy(
    listed.filter(row => counted([row]).length > 0),
    ({ subject }) => markerIn(subject) ?? subject,
  );
  for (const { marker } of traffic.requests) {
    const rows = byMarker.get(marker) ?? [];
    if (rows.length > 1)
      violations.push({
        rule: 'counted twice',
        marker,
        emailId: rows[0]?.id,
        detail: `one request, ${rows.length} messages: ${rows.map(({ status }) => status).join(', ')}`,
      });
  }
  return violations;
};
