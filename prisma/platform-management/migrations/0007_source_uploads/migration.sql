-- Archives that are deployed instead of a commit. They are compressed already, so PostgreSQL stores them as they are.
CREATE TABLE source_uploads (
    id uuid NOT NULL PRIMARY KEY,
    web_service_id uuid NOT NULL REFERENCES web_service_standings (web_service_id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX source_uploads_web_service_id_idx ON source_uploads (web_service_id);

CREATE TABLE source_upload_parts (
    upload_id uuid NOT NULL REFERENCES source_uploads (id) ON DELETE CASCADE ON UPDATE CASCADE,
    part integer NOT NULL,
    content bytea NOT NULL,
    bytes integer NOT NULL,
    PRIMARY KEY (upload_id, part)
);

ALTER TABLE source_upload_parts ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE deployments ADD COLUMN upload_digest text, ADD COLUMN upload_bytes integer;
