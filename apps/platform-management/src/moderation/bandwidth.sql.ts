export const ADD_TRAFFIC = `
  INSERT INTO bandwidth_usage AS known (web_service_id, month, bytes)
  SELECT id, $1::date, sum(bytes) FROM unnest($2::uuid[], $3::bigint[]) AS new(id, bytes) GROUP BY id
  ON CONFLICT (web_service_id, month) DO UPDATE SET bytes = known.bytes + excluded.bytes`;

export const DELETE_OLD_BANDWIDTH =
  'DELETE FROM bandwidth_usage WHERE ctid = ANY (ARRAY(SELECT ctid FROM bandwidth_usage WHERE month < $1 LIMIT $2))';
