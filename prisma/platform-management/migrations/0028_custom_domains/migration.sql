-- Domains of web services. Several may claim a domain; only one can have verified it.
CREATE TABLE custom_domains (
  id uuid PRIMARY KEY,
  web_service_id uuid NOT NULL,
  domain text NOT NULL,
  -- The domain again once it is verified: one web service over the installation.
  verified_domain text,
  token text NOT NULL,
  message text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  verified_at timestamptz(3)
);
CREATE UNIQUE INDEX custom_domains_web_service_id_domain_key ON custom_domains (web_service_id, domain);
CREATE UNIQUE INDEX custom_domains_verified_domain_key ON custom_domains (verified_domain);
