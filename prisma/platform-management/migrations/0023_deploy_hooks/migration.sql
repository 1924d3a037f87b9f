-- The deploy hook of a web service: the token of its URL as a hash, its secret among the sealed values.
CREATE TABLE deploy_hooks (
  id uuid PRIMARY KEY,
  web_service_id uuid NOT NULL,
  token_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX deploy_hooks_web_service_id_key ON deploy_hooks (web_service_id);
CREATE UNIQUE INDEX deploy_hooks_token_hash_key ON deploy_hooks (token_hash);

-- Calls of deploy hooks; an event is known by the digest of its body.
CREATE TABLE deploy_hook_deliveries (
  hook_id uuid NOT NULL,
  digest text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  outcome text NOT NULL,
  reason text,
  deployment_id uuid,
  PRIMARY KEY (hook_id, digest)
);
CREATE INDEX deploy_hook_deliveries_hook_id_at_idx ON deploy_hook_deliveries (hook_id, at);
