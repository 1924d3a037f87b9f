import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';

const request = requestsOf('email-send');
/** The mailbox of the bounce domain to which receivers send DMARC and TLS reports. */
export const DOMAIN_REPORTS_MAILBOX = 'reports';

const count = z.int().nonnegative();
const kind = z.enum(['dmarc', 'tls']);
const text = z.string().min(1).max(255);
const MAX_ROWS = 50;

const reportedSource = z.object({
  source_ip: z.union([z.ipv4(), z.ipv6()]),
  passed: count,
  failed: count,
  dkim_aligned: count,
  spf_aligned: count,
  quarantined: count,
  rejected: count,
  dkim_domain: text.optional(),
  spf_domain: text.optional(),
});

const reportedFailure = z.object({ result_type: text, mail_server: text, sessions: count });

/** Stores a report that the bounce listener received, for every service that has verified the domain. */
export const recordDomainReport = request('record-domain-report', {
  request: z.object({
    kind,
    domain: text,
    reporter: z.string().min(3).max(320).describe('The author of the report, whose domain has signed it.'),
    report_id: text,
    begins_at: timestamp,
    ends_at: timestamp,
    passed: count,
    failed: count,
    sources: z.array(reportedSource).max(MAX_ROWS).describe('Of DMARC, those with the most failures.'),
    failures: z.array(reportedFailure).max(MAX_ROWS).describe('Of TLS, those of the most sessions.'),
  }),
  reply: z.object({
    outcome: z.enum(['stored', 'unknown_domain', 'repeated_report', 'outdated_report', 'report_limit_reached']),
  }),
  callers: ['delivery-tracking'],
});
export type DomainReportOutcome = z.output<typeof recordDomainReport.reply>['outcome'];

const advice = z.string().nullable().describe('What to do, in plain words; null if nothing is to be done.');
const reporters = z.array(z.string()).describe('Authors of the reports, at most 5.');

const domainReports = z.object({
  since: timestamp.describe('Reports about earlier days are deleted.'),
  records: z
    .array(
      z.object({
        purpose: kind,
        type: z.literal('TXT'),
        name: z.string(),
        value: z.string().describe('The value to publish; for DMARC the published policy with the address added.'),
        ok: z.boolean().nullable().describe('Whether the last check found the address; null if it is not checked.'),
      }),
    )
    .describe('Records that ask receivers for reports.'),
  dmarc: z.object({
    messages: count,
    passed: count,
    failed: count,
    sources: z
      .array(
        z.object({
          source_ip: z.string(),
          messages: count,
          passed: count.describe('Messages whose DKIM or SPF domain aligns with From.'),
          failed: count,
          dkim_aligned: count,
          spf_aligned: count,
          disposition: z.object({ none: count, quarantine: count, reject: count }),
          dkim_domains: z.array(z.string()).describe('Domains with a valid signature, at most 3.'),
          spf_domains: z.array(z.string()).describe('Envelope domains that SPF permits, at most 3.'),
          reporters,
          advice,
        }),
      )
      .describe('Of the newest 1,000 reports at most 100, those with the most failures first.'),
  }),
  tls: z.object({
    sessions: count,
    passed: count,
    failed: count,
    failures: z
      .array(z.object({ result_type: z.string(), mail_server: z.string(), sessions: count, reporters, advice }))
      .describe('Of the newest 1,000 reports at most 100, those of the most sessions first.'),
  }),
  reports: z
    .array(
      z.object({
        kind,
        reporter: z.string(),
        begins_at: timestamp,
        ends_at: timestamp,
        received_at: timestamp,
        passed: count,
        failed: count,
      }),
    )
    .describe('The newest 50.'),
});
export type DomainReports = z.output<typeof domainReports>;

/** Reads the reports of receivers about a domain. */
export const getDomainReports = request('get-domain-reports', {
  request: ofService.extend({ domain_id: id }),
  reply: domainReports,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'SendingDomains.reports',
    method: 'GET',
    path: '/email-services/{service_id}/domains/{domain_id}/reports',
    access: 'session',
    summary: 'Read the DMARC and TLS reports about a domain: which sources fail, and what to do',
  },
});
