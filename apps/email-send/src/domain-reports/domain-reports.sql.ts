const MAX_A_DAY = 50_000;
const MAX_OF_DOMAIN = 200;
const MAX_OF_REPORTER = 20;
const TODAY = `received_at >= date_trunc('day', now(), 'UTC')`;

/** Rows of the newest reports only, which bounds the cost of a read. */
const newest = (kind: string, columns: string): string => `
  FROM (SELECT reporter, details FROM domain_reports WHERE domain_id = $1 AND kind = '${kind}' AND ends_at >= $2
        ORDER BY ends_at DESC LIMIT 1000) AS r
    CROSS JOIN LATERAL jsonb_to_recordset(r.details) AS s (${columns})`;

/**
 * The services that own a domain: it is verified, or records are lost while the service's own DKIM key is still published.
 */
export const FIND_OWNERS = `
  SELECT id FROM sending_domains
  WHERE domain = $1
    AND (status = 'verified' OR status = 'records_lost' AND records @> '[{"purpose": "dkim", "ok": true}]')
  ORDER BY id LIMIT 100`;

/** Serializes reports, so that their number stays bounded. */
export const LOCK_REPORTS = `SELECT pg_advisory_xact_lock(hashtextextended('domain reports', 0))`;

/** Stores a report once for each owner, as far as the UTC day has room. */
export const STORE_REPORT = `
  INSERT INTO domain_reports (domain_id, kind, reporter, report_id, reporter_domain, begins_at, ends_at, received_at,
    passed, failed, details)
  SELECT owner, $2, $3, $4, $5, $6, $7, now(), $8, $9, $10::jsonb
  FROM unnest($1::uuid[]) AS owner JOIN domain_checks AS known ON known.domain_id = owner
  WHERE (SELECT count(*) FROM domain_reports WHERE ${TODAY}) < ${MAX_A_DAY}
    AND (SELECT count(*) FROM domain_reports WHERE ${TODAY} AND domain_id = owner) < ${MAX_OF_DOMAIN}
    AND (SELECT count(*) FROM domain_reports WHERE ${TODAY} AND domain_id = owner AND reporter_domain = $5)
      < ${MAX_OF_REPORTER}
  ON CONFLICT (domain_id, kind, reporter, report_id) DO NOTHING`;

/** Whether a report is stored for any of the owners. */
export const IS_STORED = `
  SELECT EXISTS (
    SELECT FROM domain_reports
    WHERE domain_id = ANY ($1::uuid[]) AND kind = $2 AND reporter = $3 AND report_id = $4
  ) AS stored`;

/** Totals of each kind. */
export const REPORT_TOTALS = `
  SELECT kind, sum(passed)::float8 AS passed, sum(failed)::float8 AS failed FROM domain_reports
  WHERE domain_id = $1 AND ends_at >= $2 GROUP BY kind`;

/** The sources of messages, the most failures first. */
export const REPORTED_SOURCES = `
  SELECT source_ip, sum(s.passed)::float8 AS passed, sum(s.failed)::float8 AS failed,
    sum(dkim_aligned)::float8 AS dkim_aligned, sum(spf_aligned)::float8 AS spf_aligned,
    sum(quarantined)::float8 AS quarantined, sum(rejected)::float8 AS rejected,
    (array_agg(DISTINCT dkim_domain) FILTER (WHERE dkim_domain IS NOT NULL))[1:3] AS dkim_domains,
    (array_agg(DISTINCT spf_domain) FILTER (WHERE spf_domain IS NOT NULL))[1:3] AS spf_domains,
    (array_agg(DISTINCT reporter))[1:5] AS reporters
  ${newest(
    'dmarc',
    `source_ip text, passed bigint, failed bigint, dkim_aligned bigint, spf_aligned bigint, quarantined bigint,
     rejected bigint, dkim_domain text, spf_domain text`,
  )}
  GROUP BY source_ip ORDER BY sum(s.failed) DESC, sum(s.passed) DESC, source_ip LIMIT 100`;

/** TLS failures, the most sessions first. */
export const REPORTED_FAILURES = `
  SELECT result_type, mail_server, sum(sessions)::float8 AS sessions, (array_agg(DISTINCT reporter))[1:5] AS reporters
  ${newest('tls', 'result_type text, mail_server text, sessions bigint')}
  GROUP BY result_type, mail_server ORDER BY sum(sessions) DESC, result_type, mail_server LIMIT 100`;

/** The newest reports. */
export const NEWEST_REPORTS = `
  SELECT kind, reporter, begins_at, ends_at, received_at, passed::float8 AS passed, failed::float8 AS failed
  FROM domain_reports WHERE domain_id = $1 AND ends_at >= $2 ORDER BY ends_at DESC, received_at DESC LIMIT 50`;
