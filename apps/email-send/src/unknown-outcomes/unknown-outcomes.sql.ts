/** The messages among some ids whose outcome is unknown or not recorded yet. */
export const FIND_UNRESOLVED = `
  SELECT email_id FROM unresolved_emails WHERE email_id = ANY ($1::uuid[])
  UNION SELECT email_id FROM open_requests AS request
  WHERE email_id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)
  UNION SELECT email_id FROM emails_in_flight WHERE email_id = ANY ($1::uuid[])`;
