-- The host at which a database is reached, if it is no longer the one of its creation.
ALTER TABLE database_credentials ADD COLUMN host text;
