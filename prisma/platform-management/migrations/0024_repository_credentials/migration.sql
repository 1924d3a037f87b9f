-- What Git authenticates with for a web service: at most one deploy key and one token. Private keys and tokens are among
-- the sealed values, under the same id.
CREATE TABLE repository_credentials (
  id uuid PRIMARY KEY,
  web_service_id uuid NOT NULL,
  kind text NOT NULL,
  public_key text,
  host_keys text,
  username text,
  host text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX repository_credentials_web_service_id_kind_key ON repository_credentials (web_service_id, kind);
