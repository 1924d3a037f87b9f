export const INSERT_BACKUP = `
  INSERT INTO database_backups (id, database_id, scheduled, status)
  SELECT $1::uuid, $2::uuid, $3::boolean, 'creating'
  WHERE NOT EXISTS (SELECT 1 FROM database_backups WHERE database_id = $2 AND status = 'creating')`;

export const INSERT_RESTORE = `
  INSERT INTO database_restores (id, database_id, backup_id, status)
  SELECT $1::uuid, $2::uuid, $3::uuid, 'restoring'
  WHERE NOT EXISTS (SELECT 1 FROM database_restores WHERE database_id = $2 AND status = 'restoring')`;

/**
 * Running databases whose last scheduled backup was requested at least `$1` hours ago, at least one hour ago if it failed, or before a
 * restore: changes after it can be recovered with a backup after it only. The first one is due an hour after the creation.
 */
export const FIND_DUE_DATABASES = `
  SELECT d.id FROM databases d
  WHERE d.status = 'running' AND d.created_at <= now() - make_interval(hours => least(1, $1::int))
    AND NOT EXISTS (
      SELECT 1 FROM database_backups b WHERE b.database_id = d.id AND (b.status = 'creating' OR b.scheduled
        AND b.created_at > now() - make_interval(hours => CASE b.status WHEN 'failed' THEN least(1, $1) ELSE $1 END)
        AND NOT EXISTS (
          SELECT 1 FROM database_restores r
          WHERE r.database_id = d.id AND r.status = 'completed' AND r.finished_at > b.created_at)))
  ORDER BY d.created_at`;

/** Updates only an unfinished backup, because the database may have been deleted in the meantime. */
export const FINISH_BACKUP = `
  UPDATE database_backups SET status = $2, size_bytes = $3, digest = $4, error = $5, finished_at = now()
  WHERE id = $1 AND status = 'creating'`;

export const FINISH_RESTORE = `
  UPDATE database_restores SET status = $2, error = $3, finished_at = now() WHERE id = $1 AND status = 'restoring'`;

/** Keeps the newest `$1` backups of each database in each group: scheduled, requested, and failed. Restores go with them. */
export const DELETE_OLD_BACKUPS = `
  DELETE FROM database_backups WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (
        PARTITION BY database_id, scheduled, status ORDER BY created_at DESC, id DESC) AS place
      FROM database_backups WHERE status <> 'creating') AS placed
    WHERE place > $1)
  AND NOT EXISTS (
    SELECT 1 FROM database_restores r WHERE r.backup_id = database_backups.id AND r.status = 'restoring')
  AND NOT EXISTS (
    SELECT 1 FROM database_recoveries r WHERE r.backup_id = database_backups.id AND r.status = 'restoring')`;

export const DELETE_BACKUPS_OF = 'DELETE FROM database_backups WHERE database_id = $1';
