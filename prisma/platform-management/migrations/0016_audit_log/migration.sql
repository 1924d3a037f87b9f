-- Who did what to which resource. actor_id of an unknown login is a keyed hash; nothing else names a person.
CREATE TABLE audit_entries (
  id              uuid NOT NULL,
  at              timestamptz(3) NOT NULL DEFAULT now(),
  actor_type      text NOT NULL,
  actor_id        text,
  action          text NOT NULL,
  resource_type   text NOT NULL,
  resource_id     text,
  workspace_id    uuid,
  client_network  text,
  user_agent      text,
  outcome         text NOT NULL,
  code            text,
  request_id      text NOT NULL,
  times           integer NOT NULL DEFAULT 1,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_at_id_idx ON audit_entries (at, id);
CREATE INDEX audit_entries_workspace_id_at_id_idx ON audit_entries (workspace_id, at, id);
CREATE INDEX audit_entries_client_network_at_idx ON audit_entries (client_network, at);
