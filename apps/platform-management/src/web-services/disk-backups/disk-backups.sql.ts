/**
 * Web services that have a disk and deployed it at least an hour ago, and whose last scheduled backup was requested at least `$1` hours
 * ago, or at least one hour ago if it failed.
 */
export const FIND_DUE_DISKS = `
  SELECT w.id FROM web_services w
  WHERE w.disk_size_mib IS NOT NULL
    AND EXISTS (
      SELECT 1 FROM releases r WHERE r.web_service_id = w.id AND r.settings ? 'disk'
        AND r.begun_at <= now() - make_interval(hours => least(1, $1::int)))
    AND NOT EXISTS (
      SELECT 1 FROM backups b WHERE b.resource_id = w.id AND (b.status = 'creating' OR b.scheduled
        AND b.created_at > now() - make_interval(hours => CASE b.status WHEN 'failed' THEN least(1, $1) ELSE $1 END)))
  ORDER BY w.created_at`;
