/** Finished days that were not evaluated: messages as the daily limit counted them, and reports as they arrived. */
export const LIST_UNEVALUATED_DAYS = `
  SELECT u.service_id AS "serviceId", to_char(d.day, 'YYYY-MM-DD') AS day, u.used AS messages,
         count(r.*) FILTER (WHERE r.kind = 'bounced')::int AS bounced,
         count(r.*) FILTER (WHERE r.kind = 'complained')::int AS complained
  FROM sending_usage u
  CROSS JOIN LATERAL (SELECT (u.starts_at AT TIME ZONE 'UTC')::date AS day) d
  LEFT JOIN judged_days j ON j.service_id = u.service_id AND j.day = d.day
  LEFT JOIN reported_emails r ON r.service_id = u.service_id AND r.day = d.day
  WHERE u.period = 'day' AND j.service_id IS NULL
    AND u.starts_at + interval '1 day' <= now() - make_interval(mins => $2)
    AND u.starts_at > now() - make_interval(days => $3)
  GROUP BY u.service_id, d.day, u.used
  ORDER BY d.day, u.service_id LIMIT $1`;

/** Deletes at most `$2` reports older than `$1` days. */
export const PURGE_REPORTS = `
  DELETE FROM reported_emails
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM reported_emails WHERE day < current_date - $1::int LIMIT $2))`;

/** Deletes at most `$2` evaluated days older than `$1` days. */
export const PURGE_EVALUATED_DAYS = `
  DELETE FROM judged_days
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM judged_days WHERE day < current_date - $1::int LIMIT $2))`;

/** Deletes at most `$1` counters of code mails that no limit uses. */
export const PURGE_CODE_MAILS = `
  DELETE FROM code_mails
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM code_mails WHERE hour < now() - interval '1 day' LIMIT $1))`;
