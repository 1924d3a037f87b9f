-- A password counts as applied when the database takes it and the attached web services are being restarted.
ALTER TABLE database_credentials
  ADD COLUMN rotation integer NOT NULL DEFAULT 0,
  ADD COLUMN applied_rotation integer NOT NULL DEFAULT 0;

CREATE TABLE database_attachments (
  id uuid PRIMARY KEY,
  database_id uuid NOT NULL,
  web_service_id uuid NOT NULL,
  variable text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX database_attachments_web_service_id_variable_key
  ON database_attachments (web_service_id, variable);
CREATE INDEX database_attachments_database_id_idx ON database_attachments (database_id);

CREATE TABLE database_backups (
  id uuid PRIMARY KEY,
  database_id uuid NOT NULL,
  scheduled boolean NOT NULL,
  status text NOT NULL,
  size_bytes bigint,
  digest text,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3)
);
CREATE INDEX database_backups_database_id_created_at_idx ON database_backups (database_id, created_at);
CREATE INDEX database_backups_status_idx ON database_backups (status);

CREATE TABLE database_restores (
  id uuid PRIMARY KEY,
  database_id uuid NOT NULL,
  backup_id uuid NOT NULL,
  status text NOT NULL,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3)
);
CREATE INDEX database_restores_database_id_idx ON database_restores (database_id);
CREATE INDEX database_restores_backup_id_created_at_idx ON database_restores (backup_id, created_at);
CREATE INDEX database_restores_status_idx ON database_restores (status);
