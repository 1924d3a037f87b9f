import { writeFileSync } from 'node:fs';
import { eventKey } from '../observed-traffic.js';
import type { FaultOptions } from '../options.js';
import type { Violation } from '../rules/violation.js';
import type { MemoryTrend } from '../system/memory.js';
import type { Settled } from './settle.js';
import type { Stage } from './stage.js';
import type { StepOutcome } from './strike.js';

const MAX_TIMELINES = 200;

/** Everything observed about the message of a violation, and its timeline in the dashboard. */
const caseOf = async ({ traffic, observer }: Stage, { emailId, marker }: Violation) => {
  const copies = traffic.taken.filter(copy => copy.emailId === emailId || copy.marker === marker);
  const markers = new Set([marker, ...copies.map(copy => copy.marker)]);
  const ids = new Set([emailId, ...copies.map(copy => copy.emailId)]);
  return {
    requests: traffic.requests.filter(
      request =>
        markers.has(request.marker) ||
        request.attempts.some(
          ({ emailId: returnedId, record }) => emailId !== undefined && [returnedId, record?.id].includes(emailId),
        ),
    ),
    copies,
    reports: traffic.reports.filter(report => ids.has(report.emailId)),
    visits: traffic.visits.filter(visit => ids.has(visit.emailId)),
    calls: traffic.calls.filter(call => ids.has(call.emailId)),
    shown: emailId === undefined ? undefined : await observer.timelineOf(emailId),
  };
};

/** Writes the whole run to a file; a violation includes the timeline of its message. */
export const writeReport = async (
  file: string,
  stage: Stage,
  run: {
    readonly options: FaultOptions;
    readonly outcomes: readonly StepOutcome[];
    readonly settled: Settled | undefined;
    readonly memory: Readonly<Record<string, MemoryTrend>>;
    readonly violations: readonly Violation[];
  },
): Promise<void> => {
  const cases = [];
  for (const violation of run.violations.slice(0, MAX_TIMELINES))
    cases.push({ violation, case: await caseOf(stage, violation) });
  const { options, outcomes, settled, memory, violations } = run;
  const { traffic } = stage;
  const report = {
    options,
    outcomes,
    memory,
    totals: settled?.observation.totals,
    scheduled: settled ? [...settled.observation.scheduled] : [],
    counts: {
      requests: traffic.requests.length,
      copies: traffic.taken.length,
      reports: traffic.reports.length,
      visits: traffic.visits.length,
      calls: traffic.calls.length,
      events: new Set(traffic.calls.map(({ event, emailId, recipient }) => eventKey(event, emailId, recipient))).size,
    },
    violations,
    cases,
  };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
};
