import type { BackupRecord, BackupWithRestore, RestoreRecord } from './ports.js';

export const backupReply = (backup: BackupRecord) => ({
  id: backup.id,
  scheduled: backup.scheduled,
  status: backup.status,
  size_bytes: backup.sizeBytes,
  error: backup.error,
  created_at: backup.createdAt.toISOString(),
  finished_at: backup.finishedAt?.toISOString() ?? null,
});

export const restoreReply = (restore: RestoreRecord) => ({
  id: restore.id,
  backup_id: restore.backupId,
  status: restore.status,
  error: restore.error,
  created_at: restore.createdAt.toISOString(),
  finished_at: restore.finishedAt?.toISOString() ?? null,
});

export const listedBackup = ({ lastRestore, ...backup }: BackupWithRestore) => ({
  ...backupReply(backup),
  last_restore: lastRestore ? restoreReply(lastRestore) : null,
});
