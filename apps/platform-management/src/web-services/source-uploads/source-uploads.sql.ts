import { IS_REACHED } from '../../projects/reached-projects.js';

/** The workspace of a web service that the caller reaches, and the bytes of all its uploads. */
export const FIND_UPLOAD_SPACE = `
  SELECT coalesce((
    SELECT sum(part.bytes) FROM source_upload_parts AS part
    JOIN source_uploads AS upload ON upload.id = part.upload_id
    JOIN web_services AS other ON other.id = upload.web_service_id
    JOIN projects AS theirs ON theirs.id = other.project_id
    WHERE theirs.workspace_id = p.workspace_id), 0)::float8 AS used
  FROM web_services AS service JOIN projects p ON p.id = service.project_id
  WHERE service.id = $3 AND ${IS_REACHED}`;

export const BEGIN_UPLOAD = `INSERT INTO source_uploads (id, web_service_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`;

/** Nothing is written for an unknown upload, or a part that exists. @returns whether the upload exists. */
export const PUT_UPLOAD_PART = `
  WITH upload AS (SELECT id FROM source_uploads WHERE id = $1),
  written AS (
    INSERT INTO source_upload_parts (upload_id, part, content, bytes)
    SELECT id, $2::integer, $3::bytea, octet_length($3::bytea) FROM upload ON CONFLICT DO NOTHING)
  SELECT id FROM upload`;

/** Only within the hour in which an upload can be deployed, and only if all its bytes have arrived. */
export const FIND_COMPLETE_UPLOAD = `
  SELECT upload.id FROM source_uploads AS upload
  WHERE upload.id = $1 AND upload.web_service_id = $2 AND upload.created_at > now() - interval '1 hour'
    AND (SELECT sum(bytes) FROM source_upload_parts WHERE upload_id = upload.id) = $3`;

export const READ_UPLOAD_PART = `SELECT content FROM source_upload_parts WHERE upload_id = $1 AND part = $2`;

/** Uploads that can no longer be deployed for the first time. */
export const LIST_OLD_UPLOADS = `
  SELECT id, web_service_id FROM source_uploads WHERE created_at < now() - interval '2 hours' ORDER BY web_service_id`;

export const DELETE_UPLOADS = `DELETE FROM source_uploads WHERE id = ANY ($1::uuid[])`;
