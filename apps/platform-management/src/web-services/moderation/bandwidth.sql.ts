/** Skips deleted web services. The row lock blocks their deletion, so that a deletion removes every row. */
export const ADD_TRAFFIC = `
  WITH kept AS (SELECT web_service_id AS id FROM web_service_standings WHERE web_service_id = ANY ($2) FOR KEY SHARE)
  INSERT INTO bandwidth_usage AS known (web_service_id, month, bytes)
  SELECT id, $1::date, sum(bytes) FROM unnest($2::uuid[], $3::bigint[]) AS new(id, bytes) JOIN kept USING (id) GROUP BY id
  ON CONFLICT (web_service_id, month) DO UPDATE SET bytes = known.bytes + excluded.bytes`;
