CREATE TABLE credentials (
  user_id        uuid NOT NULL,
  email          text NOT NULL,
  password_hash  text NOT NULL,
  operator       boolean NOT NULL,
  CONSTRAINT credentials_pkey PRIMARY KEY (user_id)
);
CREATE UNIQUE INDEX credentials_email_key ON credentials (email);

CREATE TABLE sessions (
  token_hash    text NOT NULL,
  user_id       uuid NOT NULL,
  workspace_id  uuid NOT NULL,
  expires_at    timestamptz(3) NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);

CREATE TABLE login_failures (
  id     bigserial NOT NULL,
  email  text NOT NULL,
  ip     text NOT NULL,
  at     timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT login_failures_pkey PRIMARY KEY (id)
);
CREATE INDEX login_failures_email_at_idx ON login_failures (email, at);
CREATE INDEX login_failures_ip_at_idx ON login_failures (ip, at);

CREATE TABLE users (
  id          uuid NOT NULL,
  email       text NOT NULL,
  operator    boolean NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id)
);

CREATE TABLE workspaces (
  id          uuid NOT NULL,
  name        text NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  CONSTRAINT workspaces_pkey PRIMARY KEY (id)
);

CREATE TABLE memberships (
  user_id       uuid NOT NULL,
  workspace_id  uuid NOT NULL,
  joined_at     timestamptz(3) NOT NULL,
  CONSTRAINT memberships_pkey PRIMARY KEY (user_id, workspace_id)
);
