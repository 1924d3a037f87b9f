-- What the last check of the certificate of a custom domain found; null before it.
ALTER TABLE custom_domains
  ADD COLUMN certificate_from timestamptz(3),
  ADD COLUMN certificate_until timestamptz(3),
  ADD COLUMN certificate_error text,
  ADD COLUMN certificate_checked_at timestamptz(3);
