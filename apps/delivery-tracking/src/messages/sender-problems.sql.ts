/** Messages of the services `$1` that left from the sandbox sender in the last 24 hours, although they are in production. */
export const COUNT_SANDBOX_SENDER = `
  SELECT service_id, count(*)::int AS messages, max(accepted_at) AS latest
  FROM tracked_emails
  WHERE service_id = ANY ($1::uuid[]) AND mode = 'sandbox_fallback' AND accepted_at > now() - interval '24 hours'
  GROUP BY service_id`;
