/** Counts a code mail of a service within an hour, unless the limit is reached. */
export const COUNT_CODE_MAIL = `
  INSERT INTO code_mails AS m (service_id, hour, sent) VALUES ($1, $2, 1)
  ON CONFLICT (service_id, hour) DO UPDATE SET sent = m.sent + 1 WHERE m.sent < $3`;
