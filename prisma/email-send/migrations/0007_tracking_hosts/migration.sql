ALTER TABLE sending_domains
    ADD COLUMN tracking_host text,
    ADD COLUMN tracking_status text,
    ADD COLUMN tracking_verified_at timestamp(3) with time zone;

-- lock: one row for each sending domain.
CREATE INDEX sending_domains_tracking_host ON sending_domains (tracking_host);
