-- The place of each deployment among those of its web service, from 1 without gaps: the last one is their number, and an
-- offset is a place. Filled here, and by the projection.
ALTER TABLE deployments ADD COLUMN ordinal integer;
UPDATE deployments SET ordinal = counted.ordinal
  FROM (SELECT id, row_number() OVER (PARTITION BY web_service_id ORDER BY number) AS ordinal FROM deployments) AS counted
  WHERE deployments.id = counted.id;
ALTER TABLE deployments ALTER COLUMN ordinal SET NOT NULL;
CREATE UNIQUE INDEX deployments_web_service_id_ordinal_key ON deployments (web_service_id, ordinal);
