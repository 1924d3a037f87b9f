export const INSERT_RECOVERY = `
  INSERT INTO database_recoveries (database_id, source_id, backup_id, target_time, status)
  VALUES ($1, $2, $3, $4, 'restoring')`;

export const FINISH_RECOVERY = `
  UPDATE database_recoveries SET status = $2, error = $3, finished_at = now() WHERE database_id = $1 AND status = 'restoring'`;

export const DELETE_RECOVERY = 'DELETE FROM database_recoveries WHERE database_id = $1';
