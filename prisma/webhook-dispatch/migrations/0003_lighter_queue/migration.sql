-- A lease lies in columns that no index has, so that a claim writes one new version of its row and touches no index.
-- Half of each page is left to such versions: a claim takes rows that lie side by side.
ALTER TABLE deliveries ADD COLUMN claimed_until timestamptz;
ALTER TABLE deliveries SET (fillfactor = 50);

-- A report that ends a delivery writes every index there is. For the hourly purge, blocks of old rows are enough, and
-- those have an index that costs an update nothing.
DROP INDEX deliveries_finished;
CREATE INDEX deliveries_made ON deliveries USING brin (created_at);

-- The queue alone writes attempts, in the statement that settles their delivery, and deletes both in one. The key would
-- look each delivery up again and lock it.
ALTER TABLE attempts DROP CONSTRAINT attempts_delivery_id_fkey;
