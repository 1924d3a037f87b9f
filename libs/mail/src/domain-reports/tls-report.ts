import { boundedCount, boundedSum, boundedText, domainName, isPlausible, REPORT_LIMITS } from './bounded-values.js';
import type { DomainReport, TlsFailure } from './domain-report.js';

const MAX_DOMAINS = 10;
const MAX_POLICIES = 100;

type Fields = Readonly<Record<string, unknown>>;

/** Reads an SMTP TLS report (RFC 8460 §4), one result for each domain; none if the JSON is not a report. */
export function readTlsReport(json: string): readonly DomainReport[] {
  const report = fieldsOf(parsed(json));
  const reportId = boundedText(report['report-id']);
  const range = fieldsOf(report['date-range']);
  const [beginsAt, endsAt] = [dateOf(range['start-datetime']), dateOf(range['end-datetime'])];
  if (!reportId || !isPlausible(beginsAt) || !isPlausible(endsAt) || endsAt < beginsAt) return [];
  const policies = listOf(report['policies']).slice(0, MAX_POLICIES).map(fieldsOf);
  const ofDomains = Map.groupBy(policies, ({ policy }) => domainName(fieldsOf(policy)['policy-domain']));
  ofDomains.delete(undefined);
  return [...ofDomains].slice(0, MAX_DOMAINS).map(([domain, ofDomain]) => ({
    kind: 'tls',
    domain: domain!,
    reportId,
    beginsAt,
    endsAt,
    passed: total(ofDomain, 'total-successful-session-count'),
    failed: total(ofDomain, 'total-failure-session-count'),
    sources: [],
    failures: failuresOf(ofDomain.flatMap(policy => listOf(policy['failure-details']))),
  }));
}

const total = (policies: readonly Fields[], name: string): number =>
  boundedSum(policies.map(({ summary }) => boundedCount(fieldsOf(summary)[name])));

function failuresOf(details: readonly unknown[]): TlsFailure[] {
  const failures = new Map<string, TlsFailure>();
  for (const entry of details) {
    const detail = fieldsOf(entry);
    const resultType = boundedText(detail['result-type'])?.toLowerCase();
    const sessions = boundedCount(detail['failed-session-count']);
    if (resultType === undefined || sessions === 0) continue;
    const named = boundedText(detail['receiving-mx-hostname']) ?? boundedText(detail['receiving-ip']);
    const mailServer = named?.toLowerCase() ?? 'unknown';
    const key = `${resultType} ${mailServer}`;
    const before = failures.get(key)?.sessions ?? 0;
    failures.set(key, { resultType, mailServer, sessions: boundedSum([before, sessions]) });
  }
  return [...failures.values()].sort((one, other) => other.sessions - one.sessions).slice(0, REPORT_LIMITS.rows);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const dateOf = (value: unknown): Date => new Date(boundedText(value) ?? Number.NaN);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
