-- Values of variables and secrets and configurations of releases, each encrypted and bound to its id.
CREATE TABLE sealed_values (
  id      uuid NOT NULL,
  sealed  text NOT NULL,
  CONSTRAINT sealed_values_pkey PRIMARY KEY (id)
);

CREATE TABLE platform_keys (
  id            uuid NOT NULL,
  user_id       uuid NOT NULL,
  workspace_id  uuid NOT NULL,
  name          text NOT NULL,
  key_hash      text NOT NULL,
  key_prefix    text NOT NULL,
  scope         text NOT NULL,
  expires_at    timestamptz(3),
  created_at    timestamptz(3) NOT NULL,
  CONSTRAINT platform_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX platform_keys_key_hash_key ON platform_keys (key_hash);
CREATE INDEX platform_keys_user_id_workspace_id_idx ON platform_keys (user_id, workspace_id);

CREATE TABLE platform_key_uses (
  key_id        uuid NOT NULL,
  last_used_at  timestamptz(3) NOT NULL,
  CONSTRAINT platform_key_uses_pkey PRIMARY KEY (key_id)
);

CREATE TABLE platform_call_counts (
  key_id    uuid NOT NULL,
  began_at  timestamptz(3) NOT NULL,
  calls     integer NOT NULL,
  CONSTRAINT platform_call_counts_pkey PRIMARY KEY (key_id)
);
-- Updated by every call: room for the new version beside the old one saves the index.
ALTER TABLE platform_call_counts SET (fillfactor = 50);

CREATE TABLE projects (
  id            uuid NOT NULL,
  user_id       uuid NOT NULL,
  workspace_id  uuid NOT NULL,
  name          text NOT NULL,
  description   text,
  created_at    timestamptz(3) NOT NULL,
  CONSTRAINT projects_pkey PRIMARY KEY (id)
);
CREATE INDEX projects_user_id_created_at_idx ON projects (user_id, created_at);

CREATE TABLE named_values (
  id         uuid NOT NULL,
  owner_id   uuid NOT NULL,
  key        text NOT NULL,
  scope      text,
  is_secret  boolean NOT NULL,
  CONSTRAINT named_values_pkey PRIMARY KEY (id)
);
CREATE INDEX named_values_owner_id_idx ON named_values (owner_id);
