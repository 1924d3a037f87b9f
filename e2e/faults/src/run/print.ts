import type { ObservedTraffic } from '../observed-traffic.js';
import type { Violation } from '../rules/violation.js';
import type { MemoryTrend } from '../system/memory.js';
import type { Step } from './schedule.js';
import type { Settled } from './settle.js';
import type { StepOutcome } from './strike.js';

/** Longer recoveries are printed with the part that was not ready. */
const NOTED_FROM_S = 5;

const clock = (ms: number): string => {
  const total = Math.round(ms / 1_000);
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`;
};
const figure = (value: number | null): string => (value === null ? 'never' : value.toFixed(1));

export const STEP_HEAD = `${'at'.padEnd(6)} ${'ready s'.padStart(8)} ${'told s'.padStart(8)} ${'stall'.padStart(6)}  fault`;

export const stepLine = ({ atMs, faults, recovery, violations }: StepOutcome): string => {
  const { readyS, webhookS, stall, waitedFor } = recovery;
  const what = faults.map(({ name, detail }) => `${name} (${detail})`).join(' + ');
  const columns = [clock(atMs).padEnd(6), figure(readyS).padStart(8), figure(webhookS).padStart(8)];
  const broken = violations.map(({ rule, detail }) => `\n       ✗ ${rule}: ${detail}`).join('');
  const slow =
    Math.max(readyS ?? 0, webhookS ?? 0) > NOTED_FROM_S
      ? `\n       waited for ${(webhookS ?? 0) > (readyS ?? 0) ? 'the webhook' : waitedFor}`
      : '';
  return `${columns.join(' ')} ${stall.toFixed(2).padStart(6)}  ${what}${slow}${broken}`;
};

export const planLine = ({ pauseMs, first, second }: Step, number: number): string => {
  const also = second ? `, ${second.afterMs} ms later ${second.fault.name} (${second.fault.detail})` : '';
  return `${String(number).padStart(4)}  after ${pauseMs} ms ${first.name} (${first.detail})${also}`;
};

/** The counts of the run next to the counts that Postern reports. */
export const trafficTable = (traffic: ObservedTraffic, { observation }: Settled): string => {
  const finals = traffic.requests.map(({ attempts }) => attempts.at(-1));
  const count = (fits: (attempt: NonNullable<(typeof finals)[number]>) => boolean) =>
    finals.filter(attempt => attempt !== undefined && fits(attempt)).length;
  const reports = (kind: string) => traffic.reports.filter(report => report.kind === kind && report.takenAt).length;
  const rows: readonly (readonly [string, number | string])[] = [
    ['requests', traffic.requests.length],
    ['  attempts', traffic.requests.reduce((sum, { attempts }) => sum + attempts.length, 0)],
    ['  answered 200 sent', count(({ record }) => record?.status === 'sent')],
    ['  answered 200 failed', count(({ record }) => record?.status === 'failed')],
    ['  given up with 5xx', count(({ status }) => status !== null && status >= 500)],
    ['  other answers', count(({ status }) => status !== null && status !== 200 && status < 500)],
    ['  unknown to the client', count(({ status }) => status === null)],
    ['copies at the relay', traffic.taken.length],
    ['delivered (traffic, statistics)', `${reports('delivered')}, ${observation.totals['delivered']}`],
    ['bounced hard', `${reports('bounced_hard')}, ${observation.totals['bounced_hard']}`],
    ['bounced soft', `${reports('bounced_soft')}, ${observation.totals['bounced_soft']}`],
    ['complained', `${reports('complained')}, ${observation.totals['complained']}`],
    ['visits answered', traffic.visits.filter(({ answered }) => answered).length],
    ['webhook calls', traffic.calls.length],
    ['events still scheduled', observation.scheduled.size],
    [
      'accepted = sent + failed + unknown',
      ['accepted', 'sent', 'failed', 'unknown'].map(name => observation.totals[name] ?? '-').join(', '),
    ],
  ];
  return rows.map(([name, value]) => `${name.padEnd(36)} ${value}`).join('\n');
};

export const memoryTable = (trends: Readonly<Record<string, MemoryTrend>>): string =>
  Object.entries(trends)
    .map(
      ([name, { startMib, endMib, peakMib, mibPerHour }]) =>
        `${name.padEnd(22)} ${startMib.toFixed(0)} → ${endMib.toFixed(0)} MiB, peak ${peakMib.toFixed(0)}, ${mibPerHour.toFixed(0)} MiB an hour`,
    )
    .join('\n');

/** Violations by rule, each rule with some examples. */
export const violationList = (violations: readonly Violation[], examples = 5): string => {
  const rules = new Map<string, Violation[]>();
  for (const violation of violations) rules.set(violation.rule, [...(rules.get(violation.rule) ?? []), violation]);
  return [...rules]
    .map(([rule, all]) => {
      const shown = all
        .slice(0, examples)
        .map(({ emailId, marker, detail }) => `    ${[emailId, marker, detail].filter(Boolean).join('  ')}`);
      return [`${rule}: ${all.length}`, ...shown].join('\n');
    })
    .join('\n');
};
