/**
 * Running databases whose last scheduled backup was requested at least `$1` hours ago, at least one hour ago if it failed, or before a
 * restore: changes after it can be recovered with a backup after it only. The first one is due an hour after the creation.
 */
export const FIND_DUE_DATABASES = `
  SELECT d.id FROM databases d
  WHERE d.status = 'running' AND d.created_at <= now() - make_interval(hours => least(1, $1::int))
    AND NOT EXISTS (
      SELECT 1 FROM backups b WHERE b.resource_id = d.id AND (b.status = 'creating' OR b.scheduled
        AND b.created_at > now() - make_interval(hours => CASE b.status WHEN 'failed' THEN least(1, $1) ELSE $1 END)
        AND NOT EXISTS (
          SELECT 1 FROM restores r
          WHERE r.resource_id = d.id AND r.status = 'completed' AND r.finished_at > b.created_at)))
  ORDER BY d.created_at`;
