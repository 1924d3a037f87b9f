const oldRowsOf = (table: string, isOld: string, limit: string) =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${isOld} LIMIT ${limit}))`;

export const DELETE_EXPIRED_SESSIONS = oldRowsOf(
  'sessions',
  'expires_at <= now() OR last_used_at <= now() - make_interval(mins => $1)',
  '$2',
);

export const DELETE_OLD_DEVICES = oldRowsOf('known_devices', "last_seen_at < now() - interval '180 days'", '$1');

export const DELETE_OLD_LOGIN_FAILURES = oldRowsOf('login_failures', 'at < now() - make_interval(secs => $1)', '$2');

export const DELETE_OLD_RESET_REQUESTS = oldRowsOf(
  'password_reset_requests',
  'requested_at < now() - make_interval(secs => $1)',
  '$2',
);

/** Invitations count towards the limits of a day. */
export const DELETE_OLD_INVITATIONS = oldRowsOf(
  'invitations',
  "created_at < now() - interval '1 day' AND (ended_at IS NOT NULL OR expires_at < now())",
  '$1',
);

export const DELETE_OLD_AUDIT_ENTRIES = oldRowsOf('audit_entries', 'at < $1', '$2');

export const DELETE_OLD_BANDWIDTH = oldRowsOf('bandwidth_usage', 'month < $1', '$2');

export const DELETE_OLD_SAMPLES = oldRowsOf('metric_samples', 'at < $1', '$2');

export const DELETE_OLD_MINUTES = oldRowsOf('metric_minutes', 'at < $1', '$2');
