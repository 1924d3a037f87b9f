CREATE TABLE audit_entries (
    id uuid NOT NULL,
    at timestamptz(3) DEFAULT now() NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text,
    workspace_id uuid,
    client_network text,
    user_agent text,
    outcome text NOT NULL,
    code text,
    request_id text NOT NULL,
    times integer DEFAULT 1 NOT NULL,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_at_id_idx ON audit_entries (at, id);
CREATE INDEX audit_entries_client_network_at_idx ON audit_entries (client_network, at);
CREATE INDEX audit_entries_workspace_id_at_id_idx ON audit_entries (workspace_id, at, id);

CREATE TABLE backups (
    id uuid NOT NULL,
    kind text NOT NULL,
    resource_id uuid NOT NULL,
    scheduled boolean NOT NULL,
    status text NOT NULL,
    size_bytes bigint,
    digest text,
    error text,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    finished_at timestamptz(3),
    CONSTRAINT backups_pkey PRIMARY KEY (id)
);
CREATE INDEX backups_resource_id_created_at_idx ON backups (resource_id, created_at);
CREATE INDEX backups_status_idx ON backups (status);

CREATE TABLE bandwidth_usage (
    web_service_id uuid NOT NULL,
    month date NOT NULL,
    bytes bigint NOT NULL,
    suspended_at timestamptz(3),
    CONSTRAINT bandwidth_usage_pkey PRIMARY KEY (web_service_id, month)
);
CREATE INDEX bandwidth_usage_month_bytes_idx ON bandwidth_usage (month, bytes);

CREATE TABLE commit_statuses (
    deployment_id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    state text,
    failures integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamptz(3),
    error text,
    changed_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT commit_statuses_pkey PRIMARY KEY (deployment_id)
);
CREATE INDEX commit_statuses_web_service_id_changed_at_idx ON commit_statuses (web_service_id, changed_at);

CREATE TABLE credentials (
    user_id uuid NOT NULL,
    email text NOT NULL,
    password_hash text NOT NULL,
    operator boolean NOT NULL,
    disabled_at timestamptz(3),
    service_mails boolean DEFAULT true NOT NULL,
    status_mails boolean DEFAULT true NOT NULL,
    CONSTRAINT credentials_pkey PRIMARY KEY (user_id)
);
CREATE UNIQUE INDEX credentials_email_key ON credentials (email);

CREATE TABLE cron_jobs (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    name text NOT NULL,
    schedule text NOT NULL,
    command text NOT NULL,
    overlap text NOT NULL,
    time_limit_seconds integer NOT NULL,
    next_at timestamptz(3),
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    time_zone text DEFAULT 'UTC' NOT NULL,
    CONSTRAINT cron_jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX cron_jobs_next_at_idx ON cron_jobs (next_at);
CREATE UNIQUE INDEX cron_jobs_web_service_id_name_key ON cron_jobs (web_service_id, name);

CREATE TABLE custom_domains (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    domain text NOT NULL,
    verified_domain text,
    token text NOT NULL,
    message text,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    verified_at timestamptz(3),
    certificate_from timestamptz(3),
    certificate_until timestamptz(3),
    certificate_error text,
    certificate_checked_at timestamptz(3),
    CONSTRAINT custom_domains_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX custom_domains_verified_domain_key ON custom_domains (verified_domain);
CREATE UNIQUE INDEX custom_domains_web_service_id_domain_key ON custom_domains (web_service_id, domain);

CREATE TABLE database_attachments (
    id uuid NOT NULL,
    database_id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    variable text NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT database_attachments_pkey PRIMARY KEY (id)
);
CREATE INDEX database_attachments_database_id_idx ON database_attachments (database_id);
CREATE UNIQUE INDEX database_attachments_web_service_id_variable_key ON database_attachments (web_service_id, variable);

CREATE TABLE database_creations (
    database_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT database_creations_pkey PRIMARY KEY (database_id)
);
CREATE INDEX database_creations_workspace_id_created_at_idx ON database_creations (workspace_id, created_at);

CREATE TABLE database_credentials (
    database_id uuid NOT NULL,
    username text NOT NULL,
    sealed_password text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    rotation integer DEFAULT 0 NOT NULL,
    applied_rotation integer DEFAULT 0 NOT NULL,
    host text,
    CONSTRAINT database_credentials_pkey PRIMARY KEY (database_id)
);

CREATE TABLE database_recoveries (
    database_id uuid NOT NULL,
    source_id uuid NOT NULL,
    backup_id uuid NOT NULL,
    target_time timestamptz(3),
    status text NOT NULL,
    error text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    finished_at timestamptz(3),
    CONSTRAINT database_recoveries_pkey PRIMARY KEY (database_id)
);
CREATE INDEX database_recoveries_backup_id_idx ON database_recoveries (backup_id);
CREATE INDEX database_recoveries_status_idx ON database_recoveries (status);

CREATE TABLE databases (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    plan text NOT NULL,
    cpu_millicores integer NOT NULL,
    memory_bytes bigint NOT NULL,
    storage_bytes bigint NOT NULL,
    connections integer NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    status text NOT NULL,
    status_reason text,
    read_only_reason text,
    created_at timestamptz(3) NOT NULL,
    version text,
    external_access boolean DEFAULT false NOT NULL,
    allowed_cidrs text[] DEFAULT ARRAY[]::text[],
    CONSTRAINT databases_pkey PRIMARY KEY (id)
);
CREATE INDEX databases_workspace_id_created_at_id_idx ON databases (workspace_id, created_at, id);

CREATE TABLE deploy_hook_deliveries (
    hook_id uuid NOT NULL,
    digest text NOT NULL,
    at timestamptz(3) DEFAULT now() NOT NULL,
    outcome text NOT NULL,
    reason text,
    deployment_id uuid,
    CONSTRAINT deploy_hook_deliveries_pkey PRIMARY KEY (hook_id, digest)
);
CREATE INDEX deploy_hook_deliveries_hook_id_at_idx ON deploy_hook_deliveries (hook_id, at);

CREATE TABLE deploy_hooks (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    token_hash text NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    git_host text,
    CONSTRAINT deploy_hooks_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX deploy_hooks_token_hash_key ON deploy_hooks (token_hash);
CREATE UNIQUE INDEX deploy_hooks_web_service_id_key ON deploy_hooks (web_service_id);

CREATE TABLE deployments (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    number integer NOT NULL,
    branch text,
    commit text,
    status text NOT NULL,
    error text,
    rollback_of uuid,
    created_at timestamptz(3) NOT NULL,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    ordinal integer NOT NULL,
    upload_digest text,
    upload_bytes integer,
    resolved_at timestamptz(3),
    built_at timestamptz(3),
    commit_message text,
    commit_author text,
    image text,
    CONSTRAINT deployments_pkey PRIMARY KEY (id)
);
CREATE INDEX deployments_created_at_idx ON deployments (created_at);
CREATE UNIQUE INDEX deployments_web_service_id_number_key ON deployments (web_service_id, number);
CREATE UNIQUE INDEX deployments_web_service_id_ordinal_key ON deployments (web_service_id, ordinal);

CREATE TABLE invitations (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by uuid NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    token_hash text,
    CONSTRAINT invitations_pkey PRIMARY KEY (id)
);
CREATE INDEX invitations_email_created_at_idx ON invitations (email, created_at);
CREATE INDEX invitations_invited_by_created_at_idx ON invitations (invited_by, created_at);
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);
CREATE INDEX invitations_workspace_id_created_at_idx ON invitations (workspace_id, created_at);

CREATE TABLE known_devices (
    user_id uuid NOT NULL,
    network text NOT NULL,
    user_agent text NOT NULL,
    last_seen_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, network, user_agent)
);
CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at);

CREATE TABLE log_drains (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    kind text NOT NULL,
    shown_url text NOT NULL,
    header_names text[] NOT NULL,
    cursor text NOT NULL,
    lines_before bigint NOT NULL,
    lines_waiting bigint,
    lines_lost bigint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamptz(3),
    next_attempt_at timestamptz(3) DEFAULT now() NOT NULL,
    last_error text,
    last_delivered_at timestamptz(3),
    disabled_at timestamptz(3),
    mailed_state text,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT log_drains_pkey PRIMARY KEY (id)
);
CREATE INDEX log_drains_web_service_id_idx ON log_drains (web_service_id);

CREATE TABLE logged_requests (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key_name text NOT NULL,
    request_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    code text,
    message text,
    duration_ms integer NOT NULL,
    email_id uuid,
    body text,
    CONSTRAINT logged_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX logged_requests_age ON logged_requests (at);
CREATE INDEX logged_requests_newest ON logged_requests (key_id, at DESC, id DESC);
CREATE INDEX logged_requests_request_id ON logged_requests (key_id, request_id);

CREATE TABLE login_failures (
    id bigserial NOT NULL,
    email text NOT NULL,
    ip text NOT NULL,
    at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    source text DEFAULT 'unknown' NOT NULL,
    wide_network text DEFAULT '' NOT NULL,
    is_first boolean DEFAULT false NOT NULL,
    CONSTRAINT login_failures_pkey PRIMARY KEY (id)
);
CREATE INDEX login_failures_email_at_idx ON login_failures (email, at);
CREATE INDEX login_failures_ip_at_idx ON login_failures (ip, at);

CREATE TABLE management_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    service_id uuid,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamptz(3),
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    last_used_at timestamptz(3),
    CONSTRAINT management_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX management_keys_key_hash_key ON management_keys (key_hash);
CREATE INDEX management_keys_workspace ON management_keys (workspace_id, created_at);

CREATE TABLE memberships (
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    joined_at timestamptz(3) NOT NULL,
    role text DEFAULT 'owner' NOT NULL,
    CONSTRAINT memberships_pkey PRIMARY KEY (user_id, workspace_id)
);
CREATE INDEX memberships_workspace_id_idx ON memberships (workspace_id);

CREATE TABLE metric_minutes (
    web_service_id uuid NOT NULL,
    at timestamptz(3) NOT NULL,
    measurements integer NOT NULL,
    cpu_millicores double precision NOT NULL,
    cpu_percent double precision NOT NULL,
    memory_bytes double precision NOT NULL,
    memory_percent double precision NOT NULL,
    instances double precision NOT NULL,
    requests double precision,
    server_errors double precision,
    response_ms double precision,
    CONSTRAINT metric_minutes_pkey PRIMARY KEY (web_service_id, at)
);
CREATE INDEX metric_minutes_at_idx ON metric_minutes (at);

CREATE TABLE metric_samples (
    web_service_id uuid NOT NULL,
    at timestamptz(3) NOT NULL,
    measurements integer NOT NULL,
    cpu_millicores double precision NOT NULL,
    cpu_percent double precision NOT NULL,
    memory_bytes double precision NOT NULL,
    memory_percent double precision NOT NULL,
    instances double precision NOT NULL,
    requests double precision,
    server_errors double precision,
    response_ms double precision,
    CONSTRAINT metric_samples_pkey PRIMARY KEY (web_service_id, at)
);
CREATE INDEX metric_samples_at_idx ON metric_samples (at);

CREATE TABLE named_values (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    key text NOT NULL,
    scope text,
    is_secret boolean NOT NULL,
    CONSTRAINT named_values_pkey PRIMARY KEY (id)
);
CREATE INDEX named_values_owner_id_idx ON named_values (owner_id);

CREATE TABLE notification_deliveries (
    id uuid NOT NULL,
    target_id uuid NOT NULL,
    notice_id text NOT NULL,
    body text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamptz(3) DEFAULT now(),
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT notification_deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX notification_deliveries_next_attempt_at_idx ON notification_deliveries (next_attempt_at);
CREATE UNIQUE INDEX notification_deliveries_target_id_notice_id_key ON notification_deliveries (target_id, notice_id);

CREATE TABLE notification_targets (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    shown_url text NOT NULL,
    sealed text NOT NULL,
    failing_since timestamptz(3),
    last_error text,
    last_delivered_at timestamptz(3),
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT notification_targets_pkey PRIMARY KEY (id)
);
CREATE INDEX notification_targets_workspace ON notification_targets (workspace_id, created_at);

CREATE TABLE password_reset_requests (
    id uuid NOT NULL,
    email text NOT NULL,
    network text NOT NULL,
    requested_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    token_hash text,
    used_at timestamptz(3),
    CONSTRAINT password_reset_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX password_reset_requests_email_requested_at_idx ON password_reset_requests (email, requested_at);
CREATE INDEX password_reset_requests_network_requested_at_idx ON password_reset_requests (network, requested_at);
CREATE UNIQUE INDEX password_reset_requests_token_hash_key ON password_reset_requests (token_hash);

CREATE TABLE platform_call_counts (
    key_id uuid NOT NULL,
    slots bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    slot_calls integer[] DEFAULT '{}'::integer[] NOT NULL,
    beyond_limit integer DEFAULT 0 NOT NULL,
    CONSTRAINT platform_call_counts_pkey PRIMARY KEY (key_id)
)
WITH (fillfactor='50');

CREATE TABLE platform_key_uses (
    key_id uuid NOT NULL,
    last_used_at timestamptz(3) NOT NULL,
    CONSTRAINT platform_key_uses_pkey PRIMARY KEY (key_id)
);

CREATE TABLE platform_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    scope text NOT NULL,
    expires_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    projects uuid[],
    operations text[],
    CONSTRAINT platform_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX platform_keys_key_hash_key ON platform_keys (key_hash);
CREATE INDEX platform_keys_user_id_workspace_id_idx ON platform_keys (user_id, workspace_id);
CREATE INDEX platform_keys_workspace_id_idx ON platform_keys (workspace_id);

CREATE TABLE projects (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT projects_pkey PRIMARY KEY (id)
);
CREATE INDEX projects_user_id_created_at_idx ON projects (user_id, created_at);
CREATE INDEX projects_workspace_id_created_at_idx ON projects (workspace_id, created_at);

CREATE TABLE pull_requests (
    web_service_id uuid NOT NULL,
    number integer NOT NULL,
    is_open boolean NOT NULL,
    changed_at timestamptz(3),
    preview_id uuid,
    received_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    comment_id text,
    CONSTRAINT pull_requests_pkey PRIMARY KEY (web_service_id, number)
);
CREATE UNIQUE INDEX pull_requests_preview_id_key ON pull_requests (preview_id);

CREATE TABLE recovery_codes (
    user_id uuid NOT NULL,
    code_hash text NOT NULL,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE releases (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    deployment_id uuid NOT NULL,
    artefact_reference text NOT NULL,
    commit text NOT NULL,
    configuration_id uuid NOT NULL,
    begun_at timestamptz(3) NOT NULL,
    settings jsonb NOT NULL,
    CONSTRAINT releases_pkey PRIMARY KEY (id)
);
CREATE INDEX releases_web_service_id_idx ON releases (web_service_id);

CREATE TABLE repository_credentials (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    kind text NOT NULL,
    public_key text,
    host_keys text,
    username text,
    host text,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT repository_credentials_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX repository_credentials_web_service_id_kind_key ON repository_credentials (web_service_id, kind);

CREATE TABLE restores (
    id uuid NOT NULL,
    kind text NOT NULL,
    resource_id uuid NOT NULL,
    backup_id uuid NOT NULL,
    status text NOT NULL,
    error text,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    finished_at timestamptz(3),
    CONSTRAINT restores_pkey PRIMARY KEY (id)
);
CREATE INDEX restores_backup_id_created_at_idx ON restores (backup_id, created_at);
CREATE INDEX restores_resource_id_idx ON restores (resource_id);
CREATE INDEX restores_status_idx ON restores (status);

CREATE TABLE runs (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    command text NOT NULL,
    release jsonb NOT NULL,
    status text DEFAULT 'queued' NOT NULL,
    exit_code integer,
    reason text,
    is_cancelled boolean DEFAULT false NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    cron_job_id uuid,
    scheduled_for timestamptz(3),
    time_limit_seconds integer,
    terminal jsonb,
    CONSTRAINT runs_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX runs_cron_job_id_scheduled_for_key ON runs (cron_job_id, scheduled_for);
CREATE INDEX runs_web_service_id_created_at_idx ON runs (web_service_id, created_at);

CREATE TABLE sealed_values (
    id uuid NOT NULL,
    sealed text NOT NULL,
    web_service_id uuid,
    CONSTRAINT sealed_values_pkey PRIMARY KEY (id)
);
CREATE INDEX sealed_values_web_service_id_idx ON sealed_values (web_service_id);

CREATE TABLE second_factors (
    user_id uuid NOT NULL,
    sealed_secret text NOT NULL,
    started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    confirmed_at timestamptz(3),
    last_step bigint DEFAULT 0 NOT NULL,
    CONSTRAINT second_factors_pkey PRIMARY KEY (user_id)
);

CREATE TABLE secret_files (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    path text NOT NULL,
    size_bytes integer NOT NULL,
    updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT secret_files_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX secret_files_web_service_id_path_key ON secret_files (web_service_id, path);

CREATE TABLE sessions (
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    last_used_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    client_address text NOT NULL,
    user_agent text,
    CONSTRAINT sessions_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
CREATE UNIQUE INDEX sessions_id_key ON sessions (id);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);

CREATE TABLE source_upload_parts (
    upload_id uuid NOT NULL,
    part integer NOT NULL,
    content bytea NOT NULL,
    bytes integer NOT NULL,
    CONSTRAINT source_upload_parts_pkey PRIMARY KEY (upload_id, part)
);
ALTER TABLE source_upload_parts ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE source_uploads (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT source_uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX source_uploads_web_service_id_idx ON source_uploads (web_service_id);

CREATE TABLE users (
    id uuid NOT NULL,
    email text NOT NULL,
    operator boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT users_pkey PRIMARY KEY (id)
);

CREATE TABLE web_service_standings (
    web_service_id uuid NOT NULL,
    active_deployment_id uuid,
    serving_release_id uuid,
    to_do boolean NOT NULL,
    CONSTRAINT web_service_standings_pkey PRIMARY KEY (web_service_id)
);
CREATE UNIQUE INDEX web_service_standings_active_deployment_id_key ON web_service_standings (active_deployment_id);
CREATE INDEX web_service_standings_to_do_idx ON web_service_standings (to_do);

CREATE TABLE web_services (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    project_id uuid NOT NULL,
    name text NOT NULL,
    git_repository_url text,
    branch text,
    build_command text,
    start_command text,
    health_check_path text,
    port integer,
    min_instances integer NOT NULL,
    max_instances integer NOT NULL,
    environment text NOT NULL,
    status text NOT NULL,
    status_reason text,
    blocked_reason text,
    suspended_reason text,
    created_at timestamptz(3) NOT NULL,
    release_command text,
    instance_memory_mib integer,
    instance_cpu_millicores integer,
    drain_seconds integer,
    processes jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_deploy boolean DEFAULT true NOT NULL,
    disk_size_mib integer,
    root_directory text,
    watch_paths jsonb DEFAULT '[]'::jsonb NOT NULL,
    health_check jsonb,
    first_byte_timeout_seconds integer,
    previews boolean DEFAULT false NOT NULL,
    preview_of uuid,
    pull_request integer,
    pull_request_url text,
    image text,
    autoscaling jsonb,
    dockerfile_path text,
    docker_target text,
    build_args jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT web_services_pkey PRIMARY KEY (id)
);
CREATE INDEX web_services_preview_of_idx ON web_services (preview_of);
CREATE INDEX web_services_project_id_idx ON web_services (project_id);
CREATE INDEX web_services_user_id_created_at_idx ON web_services (user_id, created_at);

CREATE TABLE workspace_quotas (
    workspace_id uuid NOT NULL,
    limits jsonb NOT NULL,
    CONSTRAINT workspace_quotas_pkey PRIMARY KEY (workspace_id)
);

CREATE TABLE workspaces (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT workspaces_pkey PRIMARY KEY (id)
);

ALTER TABLE bandwidth_usage ADD CONSTRAINT bandwidth_usage_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE commit_statuses ADD CONSTRAINT commit_statuses_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE cron_jobs ADD CONSTRAINT cron_jobs_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE custom_domains ADD CONSTRAINT custom_domains_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE database_attachments ADD CONSTRAINT database_attachments_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE deploy_hook_deliveries ADD CONSTRAINT deploy_hook_deliveries_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES deploy_hooks(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE deploy_hooks ADD CONSTRAINT deploy_hooks_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE log_drains ADD CONSTRAINT log_drains_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE metric_minutes ADD CONSTRAINT metric_minutes_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE metric_samples ADD CONSTRAINT metric_samples_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notification_deliveries ADD CONSTRAINT notification_deliveries_target_id_fkey FOREIGN KEY (target_id) REFERENCES notification_targets(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE pull_requests ADD CONSTRAINT pull_requests_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES second_factors(user_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE releases ADD CONSTRAINT releases_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE repository_credentials ADD CONSTRAINT repository_credentials_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE restores ADD CONSTRAINT restores_backup_id_fkey FOREIGN KEY (backup_id) REFERENCES backups(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE runs ADD CONSTRAINT runs_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sealed_values ADD CONSTRAINT sealed_values_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE secret_files ADD CONSTRAINT secret_files_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE source_upload_parts ADD CONSTRAINT source_upload_parts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES source_uploads(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE source_uploads ADD CONSTRAINT source_uploads_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
