/** Counts a mail within an hour or a day, unless the limit is reached. */
export const COUNT_MAIL = `
  INSERT INTO code_mail_counts AS c (scope, subject, starts_at, sent) VALUES ($1, $2, $3, 1)
  ON CONFLICT (scope, subject, starts_at) DO UPDATE SET sent = c.sent + 1 WHERE c.sent < $4`;

/** Undoes the count of a mail that was not sent. */
export const UNCOUNT_MAIL = `
  UPDATE code_mail_counts SET sent = sent - 1
  WHERE scope = $1 AND subject = $2 AND starts_at = $3 AND sent > 0`;
