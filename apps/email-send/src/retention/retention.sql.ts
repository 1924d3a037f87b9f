import { IDEMPOTENCY_HOURS } from '../emails/idempotency.js';

/** Quotas use the counters of past days; no limit uses a past minute. */
const DAYS_KEPT = 90;

/** Examines at most `$3` bodies between two ids, and deletes those of final messages. */
export const PURGE_BODIES = `
  WITH old AS (
    SELECT email_id FROM sealed_email_bodies WHERE email_id > $1 AND email_id < $2 ORDER BY email_id LIMIT $3
  ), purged AS (
    DELETE FROM sealed_email_bodies AS body USING old
    WHERE body.email_id = old.email_id
      AND EXISTS (SELECT 1 FROM emails WHERE id = old.email_id)
      AND NOT EXISTS (SELECT 1 FROM deferred_copies AS copy WHERE copy.email_id = old.email_id)
  )
  SELECT count(*)::integer AS examined, max(email_id::text)::uuid AS last FROM old`;

/** Deletes at most `$2` expired idempotency keys. */
export const PURGE_KEYS = `
  DELETE FROM idempotency_keys WHERE (service_id, key) IN (
    SELECT service_id, key FROM idempotency_keys
    WHERE claimed_at < $1::timestamptz - make_interval(hours => ${IDEMPOTENCY_HOURS}) LIMIT $2)`;

/** Deletes at most `$2` usage counters that no limit uses. */
export const PURGE_USAGE = `
  DELETE FROM sending_usage WHERE (service_id, period, starts_at) IN (
    SELECT service_id, period, starts_at FROM sending_usage
    WHERE starts_at < $1::timestamptz - CASE period WHEN 'minute' THEN interval '10 minutes'
                                         ELSE make_interval(days => ${DAYS_KEPT}) END LIMIT $2)`;

/** Deletes at most `$2` counters of code mails whose day is over. */
export const PURGE_CODE_COUNTS = `
  DELETE FROM code_mail_counts WHERE (scope, subject, starts_at) IN (
    SELECT scope, subject, starts_at FROM code_mail_counts
    WHERE starts_at < $1::timestamptz - interval '2 days' LIMIT $2)`;

/** Deletes at most `$2` counters of code mails of services whose hour is over. */
export const PURGE_CODE_MAILS = `
  DELETE FROM code_mails WHERE (service_id, hour) IN (
    SELECT service_id, hour FROM code_mails WHERE hour < $1::timestamptz - interval '2 days' LIMIT $2)`;

/** Deletes at most `$2` answered requests that are too old to recognise a retry. */
export const PURGE_OPEN_REQUESTS = `
  DELETE FROM open_requests WHERE email_id IN (
    SELECT email_id FROM open_requests AS request
    WHERE answer_by <= $1 AND EXISTS (SELECT FROM emails WHERE id = request.email_id) LIMIT $2)`;

/** Deletes at most `$2` unresolved messages that are too old for evidence. */
export const PURGE_UNRESOLVED = `
  DELETE FROM unresolved_emails
  WHERE email_id IN (SELECT email_id FROM unresolved_emails WHERE email_id < $1 LIMIT $2)`;

/** Deletes at most `$2` reports about domains whose days ended before `$1`. */
export const PURGE_DOMAIN_REPORTS = `
  DELETE FROM domain_reports WHERE (domain_id, kind, reporter, report_id) IN (
    SELECT domain_id, kind, reporter, report_id FROM domain_reports WHERE ends_at < $1 LIMIT $2)`;

/** Deletes at most `$2` claims of mails about events before `$1`. */
export const PURGE_OWNER_MAILS = `
  DELETE FROM owner_mails WHERE ctid = ANY (ARRAY(SELECT ctid FROM owner_mails WHERE occurred_at < $1 LIMIT $2))`;

/** Deletes at most `$2` scheduled messages that ended more than 30 days before `$1`. */
export const PURGE_SCHEDULED_EMAILS = `
  DELETE FROM scheduled_emails WHERE id IN (
    SELECT id FROM scheduled_emails WHERE finished_at < $1::timestamptz - interval '30 days' LIMIT $2)`;

/** Deletes at most `$2` bounces and complaints older than `$1` days. */
export const PURGE_REPORTED_EMAILS = `
  DELETE FROM reported_emails
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM reported_emails WHERE day < current_date - $1::int LIMIT $2))`;

/** Deletes at most `$2` evaluated days older than `$1` days. */
export const PURGE_EVALUATED_DAYS = `
  DELETE FROM judged_days
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM judged_days WHERE day < current_date - $1::int LIMIT $2))`;
