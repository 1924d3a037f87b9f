CREATE TABLE database_credentials (
  database_id      uuid NOT NULL,
  username         text NOT NULL,
  sealed_password  text NOT NULL,
  created_at       timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT database_credentials_pkey PRIMARY KEY (database_id)
);

CREATE TABLE databases (
  id                uuid NOT NULL,
  workspace_id      uuid NOT NULL,
  name              text NOT NULL,
  kind              text NOT NULL,
  plan              text NOT NULL,
  cpu_millicores    integer NOT NULL,
  memory_bytes      bigint NOT NULL,
  storage_bytes     bigint NOT NULL,
  connections       integer NOT NULL,
  host              text NOT NULL,
  port              integer NOT NULL,
  status            text NOT NULL,
  status_reason     text,
  read_only_reason  text,
  created_at        timestamptz(3) NOT NULL,
  CONSTRAINT databases_pkey PRIMARY KEY (id)
);
CREATE INDEX databases_workspace_id_created_at_id_idx ON databases (workspace_id, created_at, id);
