export const INSERT_BACKUP = `
  INSERT INTO backups (id, kind, resource_id, scheduled, status)
  SELECT $1::uuid, $2::text, $3::uuid, $4::boolean, 'creating'
  WHERE NOT EXISTS (SELECT 1 FROM backups WHERE resource_id = $3 AND status = 'creating')`;

export const INSERT_RESTORE = `
  INSERT INTO restores (id, kind, resource_id, backup_id, status)
  SELECT $1::uuid, $2::text, $3::uuid, $4::uuid, 'restoring'
  WHERE NOT EXISTS (SELECT 1 FROM restores WHERE resource_id = $3 AND status = 'restoring')`;

/** Updates only an unfinished backup, because the resource may have been deleted in the meantime. */
export const FINISH_BACKUP = `
  UPDATE backups SET status = $2, size_bytes = $3, digest = $4, error = $5, finished_at = now()
  WHERE id = $1 AND status = 'creating'`;

export const FINISH_RESTORE = `
  UPDATE restores SET status = $2, error = $3, finished_at = now() WHERE id = $1 AND status = 'restoring'`;

/** Keeps the newest `$1` backups of each resource in each group: scheduled, requested, and failed. Restores go with them. */
export const DELETE_OLD_BACKUPS = `
  DELETE FROM backups WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (
        PARTITION BY resource_id, scheduled, status ORDER BY created_at DESC, id DESC) AS place
      FROM backups WHERE status <> 'creating') AS placed
    WHERE place > $1)
  AND NOT EXISTS (SELECT 1 FROM restores r WHERE r.backup_id = backups.id AND r.status = 'restoring')
  AND NOT EXISTS (SELECT 1 FROM database_recoveries r WHERE r.backup_id = backups.id AND r.status = 'restoring')`;

/** For the deletion of the resource. */
export const DELETE_BACKUPS_OF = 'DELETE FROM backups WHERE resource_id = $1';
