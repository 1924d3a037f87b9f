-- What operators have set for workspaces; other limits are the defaults.
CREATE TABLE workspace_quotas (
  workspace_id  uuid NOT NULL,
  limits        jsonb NOT NULL,
  CONSTRAINT workspace_quotas_pkey PRIMARY KEY (workspace_id)
);

-- Databases that were created in the last 24 hours, deleted ones included.
CREATE TABLE database_creations (
  database_id   uuid NOT NULL,
  workspace_id  uuid NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT database_creations_pkey PRIMARY KEY (database_id)
);
CREATE INDEX database_creations_workspace_id_created_at_idx ON database_creations (workspace_id, created_at);
CREATE INDEX platform_keys_workspace_id_idx ON platform_keys (workspace_id);
CREATE INDEX projects_workspace_id_created_at_idx ON projects (workspace_id, created_at);
