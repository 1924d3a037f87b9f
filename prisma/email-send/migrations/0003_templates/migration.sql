CREATE TABLE templates (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE template_versions (
    template_id uuid NOT NULL,
    version integer NOT NULL,
    subject text NOT NULL,
    html text NOT NULL,
    text text,
    variables text[] NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY templates
    ADD CONSTRAINT templates_service_id_name_key UNIQUE (service_id, name);

ALTER TABLE ONLY template_versions
    ADD CONSTRAINT template_versions_pkey PRIMARY KEY (template_id, version);

ALTER TABLE ONLY template_versions
    ADD CONSTRAINT template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON UPDATE CASCADE ON DELETE CASCADE;
