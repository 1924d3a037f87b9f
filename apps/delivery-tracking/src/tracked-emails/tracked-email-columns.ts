/** The columns of a row of the read model, as the type `TrackedEmailRow` has them. */
export const ROW_COLUMNS = `id, service_id, status, mode, sender, subject,
    to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS accepted_at, counts, tags, message_id, recipients`;

/** The same with what email-send said after the acceptance. */
export const FOLLOWED_COLUMNS = `${ROW_COLUMNS}, hand_over, traceparent`;
