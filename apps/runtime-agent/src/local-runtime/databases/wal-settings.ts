/** A segment of the write-ahead log, whose size Postern does not change. */
export const SEGMENT_BYTES = 16 * 1024 ** 2;
/** The server discards what it could not archive beyond this, because a full file system would stop it. */
export const PENDING_WAL_BYTES = 16 * SEGMENT_BYTES;
/** The changes of this time can be lost together with the machine. */
const ARCHIVE_EVERY_SECONDS = 60;

/** The folder in the configuration in which the platform confirms segments, for one history of the data. */
export const confirmedFolder = (configuration: string, history: string): string =>
  `${configuration}/archived/${history}`;

/** The folder in the configuration with the compressed segments of a recovery. */
export const recoveryFolder = (configuration: string): string => `${configuration}/wal`;

/**
 * The platform copies segments out of the data folder. The server keeps each until the platform has confirmed it, and asks again after a
 * second, or a minute if it was not confirmed within three.
 */
export const archivingSettings = (configuration: string, history: string): Readonly<Record<string, string>> => ({
  archive_mode: 'on',
  archive_timeout: `${ARCHIVE_EVERY_SECONDS}s`,
  archive_command:
    `test -e ${quoted(confirmedFolder(configuration, history))}/%f || ` +
    `test "$(ls pg_wal/archive_status | grep -c ready)" -gt ${PENDING_WAL_BYTES / SEGMENT_BYTES}`,
});

/** The exit code 255 of a damaged segment stops the server; otherwise, it would take it for the end of the log. */
export const recoverySettings = (
  configuration: string,
  targetTime: string | undefined,
): Readonly<Record<string, string>> => ({
  restore_command: `f=${quoted(recoveryFolder(configuration))}/%f.gz; test -e "$f" || exit 1; gzip -dc "$f" > %p || exit 255`,
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // On its command line, the server knows no names of time zones yet, such as Z.
  ...(targetTime !== undefined && { recovery_target_time: targetTime.replace(/Z$/, '+00') }),
  // Otherwise, the server would seem to be ready before the end of the recovery.
  hot_standby: 'off',
});

/** For the shell; `%` begins a placeholder of PostgreSQL. */
const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
