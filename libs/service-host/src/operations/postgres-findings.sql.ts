/** Settings and load of the server that `postern doctor` checks. */
export const SELECT_SERVER_STATE = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS version_number,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('full_page_writes') AS full_page_writes,
    (SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS idle,
    CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END AS data_directory,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::int AS max_connections,
    (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::int FROM pg_stat_activity
     WHERE backend_xid IS NOT NULL) AS oldest_s,
    clock_timestamp() AS now`;

/** Whether WAL archiving is possible and active. */
export const SELECT_ARCHIVER = `
  SELECT current_setting('wal_level') AS wal_level, current_setting('archive_mode') AS archive_mode,
    last_archived_time AS archived_at, last_failed_time AS failed_at, last_failed_wal AS failed_wal,
    clock_timestamp() AS now
  FROM pg_stat_archiver`;
