/** Stores the requests `$1` (JSON) whose key is in the table `keys`; a report that is repeated changes nothing. */
export const insertRequests = ({ keys, owner }: { readonly keys: string; readonly owner: string }): string => `
  INSERT INTO logged_requests (id, ${owner}, key_id, key_name, request_id, at, method, path, status, code, message,
    duration_ms, email_id, body)
  SELECT r.id, k.${owner}, k.id, k.name, r.request_id, r.at, r.method, r.path, r.status, r.code, r.message,
    r.duration_ms, r.email_id, r.body
  FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, key_hash text, request_id text, at timestamptz, method text,
    path text, status smallint, code text, message text, duration_ms integer, email_id uuid, body text)
  JOIN ${keys} k ON k.key_hash = r.key_hash
  ON CONFLICT (id) DO NOTHING`;

const OUTCOME = `CASE WHEN status >= 500 THEN 'failed' WHEN status >= 400 THEN 'refused' ELSE 'succeeded' END`;

/** A page of the requests of owner `$1`, newest first, with their number on all pages, among the newest 10,000. */
export const listRequests = (owner: string): string => `
  SELECT *, count(*) OVER ()::int AS total FROM (
    SELECT * FROM logged_requests
    WHERE ${owner} = $1 AND ($2::uuid IS NULL OR key_id = $2)
      AND ($3::text IS NULL OR request_id = $3) AND ($4::text IS NULL OR ${OUTCOME} = $4)
      AND ($5::text IS NULL OR code = $5)
    ORDER BY at DESC, id DESC LIMIT 10000
  ) AS newest
  ORDER BY at DESC, id DESC LIMIT $6 OFFSET $7`;

/** Deletes at most `$2` requests older than `$1`. */
export const PURGE_REQUESTS = `
  DELETE FROM logged_requests WHERE id = ANY (ARRAY(SELECT id FROM logged_requests WHERE at < $1 LIMIT $2))`;

export const examples = {
  insertRequests: insertRequests({ keys: 'keys', owner: 'owner_id' }),
  listRequests: listRequests('owner_id'),
};
