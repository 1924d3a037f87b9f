CREATE TABLE audit_entries (
    id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
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
    times integer DEFAULT 1 NOT NULL
);

CREATE TABLE bandwidth_usage (
    web_service_id uuid NOT NULL,
    month date NOT NULL,
    bytes bigint NOT NULL,
    suspended_at timestamp(3) with time zone
);

CREATE TABLE credentials (
    user_id uuid NOT NULL,
    email text NOT NULL,
    password_hash text NOT NULL,
    operator boolean NOT NULL,
    disabled_at timestamp(3) with time zone,
    service_mails boolean DEFAULT true NOT NULL
);

CREATE TABLE cron_jobs (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    name text NOT NULL,
    schedule text NOT NULL,
    command text NOT NULL,
    overlap text NOT NULL,
    time_limit_seconds integer NOT NULL,
    next_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE custom_domains (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    domain text NOT NULL,
    verified_domain text,
    token text NOT NULL,
    message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    verified_at timestamp(3) with time zone
);

CREATE TABLE database_attachments (
    id uuid NOT NULL,
    database_id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    variable text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE database_backups (
    id uuid NOT NULL,
    database_id uuid NOT NULL,
    scheduled boolean NOT NULL,
    status text NOT NULL,
    size_bytes bigint,
    digest text,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);

CREATE TABLE database_creations (
    database_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE database_credentials (
    database_id uuid NOT NULL,
    username text NOT NULL,
    sealed_password text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    rotation integer DEFAULT 0 NOT NULL,
    applied_rotation integer DEFAULT 0 NOT NULL,
    host text,
    shared boolean DEFAULT false NOT NULL
);

CREATE TABLE database_restores (
    id uuid NOT NULL,
    database_id uuid NOT NULL,
    backup_id uuid NOT NULL,
    status text NOT NULL,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);

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
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE deploy_hook_deliveries (
    hook_id uuid NOT NULL,
    digest text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    outcome text NOT NULL,
    reason text,
    deployment_id uuid
);

CREATE TABLE deploy_hooks (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    token_hash text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE deployments (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    number integer NOT NULL,
    branch text,
    commit text,
    status text NOT NULL,
    error text,
    rollback_of uuid,
    created_at timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone
);

CREATE TABLE invitations (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    token_hash text
);

CREATE TABLE known_devices (
    user_id uuid NOT NULL,
    network text NOT NULL,
    user_agent text NOT NULL,
    last_seen_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE TABLE login_failures (
    id bigint NOT NULL,
    email text NOT NULL,
    ip text NOT NULL,
    at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    source text DEFAULT 'unknown'::text NOT NULL,
    wide_network text DEFAULT ''::text NOT NULL,
    is_first boolean DEFAULT false NOT NULL
);

CREATE SEQUENCE login_failures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE login_failures_id_seq OWNED BY login_failures.id;

CREATE TABLE memberships (
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    joined_at timestamp(3) with time zone NOT NULL,
    role text DEFAULT 'owner'::text NOT NULL
);

CREATE TABLE metric_minutes (
    web_service_id uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    measurements integer NOT NULL,
    cpu_millicores double precision NOT NULL,
    cpu_percent double precision NOT NULL,
    memory_bytes double precision NOT NULL,
    memory_percent double precision NOT NULL,
    instances double precision NOT NULL
);

CREATE TABLE metric_samples (
    web_service_id uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    measurements integer NOT NULL,
    cpu_millicores double precision NOT NULL,
    cpu_percent double precision NOT NULL,
    memory_bytes double precision NOT NULL,
    memory_percent double precision NOT NULL,
    instances double precision NOT NULL
);

CREATE TABLE named_values (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    key text NOT NULL,
    scope text,
    is_secret boolean NOT NULL
);

CREATE TABLE password_reset_requests (
    id uuid NOT NULL,
    email text NOT NULL,
    network text NOT NULL,
    requested_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    token_hash text,
    used_at timestamp(3) with time zone
);

CREATE TABLE platform_call_counts (
    key_id uuid NOT NULL,
    began_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    calls integer DEFAULT 0 NOT NULL,
    slots bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    slot_calls integer[] DEFAULT '{}'::integer[] NOT NULL,
    beyond_limit integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE platform_key_uses (
    key_id uuid NOT NULL,
    last_used_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE platform_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    scope text NOT NULL,
    expires_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    projects uuid[],
    operations text[]
);

CREATE TABLE projects (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE recovery_codes (
    user_id uuid NOT NULL,
    code_hash text NOT NULL
);

CREATE TABLE releases (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    deployment_id uuid NOT NULL,
    artefact_reference text NOT NULL,
    commit text NOT NULL,
    configuration_id uuid NOT NULL,
    begun_at timestamp(3) with time zone NOT NULL,
    settings jsonb
);

CREATE TABLE repository_credentials (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    kind text NOT NULL,
    public_key text,
    host_keys text,
    username text,
    host text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE runs (
    id uuid NOT NULL,
    web_service_id uuid NOT NULL,
    command text NOT NULL,
    release jsonb NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    exit_code integer,
    reason text,
    is_cancelled boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    cron_job_id uuid,
    scheduled_for timestamp(3) with time zone,
    time_limit_seconds integer
);

CREATE TABLE sealed_values (
    id uuid NOT NULL,
    sealed text NOT NULL,
    web_service_id uuid
);

CREATE TABLE second_factors (
    user_id uuid NOT NULL,
    sealed_secret text NOT NULL,
    started_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    confirmed_at timestamp(3) with time zone,
    last_step bigint DEFAULT 0 NOT NULL
);

CREATE TABLE sessions (
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    last_used_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    client_address text,
    user_agent text
);

CREATE TABLE users (
    id uuid NOT NULL,
    email text NOT NULL,
    operator boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE web_service_standings (
    web_service_id uuid NOT NULL,
    active_deployment_id uuid,
    serving_release_id uuid,
    to_do boolean NOT NULL
);

CREATE TABLE web_services (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    project_id uuid NOT NULL,
    name text NOT NULL,
    git_repository_url text NOT NULL,
    branch text,
    build_command text,
    start_command text,
    health_check_path text,
    port integer NOT NULL,
    min_instances integer NOT NULL,
    max_instances integer NOT NULL,
    environment text NOT NULL,
    status text NOT NULL,
    status_reason text,
    blocked_reason text,
    suspended_reason text,
    created_at timestamp(3) with time zone NOT NULL,
    release_command text,
    instance_memory_mib integer,
    instance_cpu_millicores integer,
    drain_seconds integer,
    processes jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_deploy boolean DEFAULT true NOT NULL,
    disk_size_mib integer
);

CREATE TABLE workspace_quotas (
    workspace_id uuid NOT NULL,
    limits jsonb NOT NULL
);

CREATE TABLE workspaces (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY login_failures ALTER COLUMN id SET DEFAULT nextval('login_failures_id_seq'::regclass);

ALTER TABLE ONLY audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bandwidth_usage
    ADD CONSTRAINT bandwidth_usage_pkey PRIMARY KEY (web_service_id, month);

ALTER TABLE ONLY credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY cron_jobs
    ADD CONSTRAINT cron_jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY custom_domains
    ADD CONSTRAINT custom_domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY database_attachments
    ADD CONSTRAINT database_attachments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY database_backups
    ADD CONSTRAINT database_backups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY database_creations
    ADD CONSTRAINT database_creations_pkey PRIMARY KEY (database_id);

ALTER TABLE ONLY database_credentials
    ADD CONSTRAINT database_credentials_pkey PRIMARY KEY (database_id);

ALTER TABLE ONLY database_restores
    ADD CONSTRAINT database_restores_pkey PRIMARY KEY (id);

ALTER TABLE ONLY databases
    ADD CONSTRAINT databases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY deploy_hook_deliveries
    ADD CONSTRAINT deploy_hook_deliveries_pkey PRIMARY KEY (hook_id, digest);

ALTER TABLE ONLY deploy_hooks
    ADD CONSTRAINT deploy_hooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY known_devices
    ADD CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, network, user_agent);

ALTER TABLE ONLY login_failures
    ADD CONSTRAINT login_failures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (user_id, workspace_id);

ALTER TABLE ONLY metric_minutes
    ADD CONSTRAINT metric_minutes_pkey PRIMARY KEY (web_service_id, at);

ALTER TABLE ONLY metric_samples
    ADD CONSTRAINT metric_samples_pkey PRIMARY KEY (web_service_id, at);

ALTER TABLE ONLY named_values
    ADD CONSTRAINT named_values_pkey PRIMARY KEY (id);

ALTER TABLE ONLY password_reset_requests
    ADD CONSTRAINT password_reset_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY platform_call_counts
    ADD CONSTRAINT platform_call_counts_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY platform_key_uses
    ADD CONSTRAINT platform_key_uses_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY platform_keys
    ADD CONSTRAINT platform_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);

ALTER TABLE ONLY releases
    ADD CONSTRAINT releases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY repository_credentials
    ADD CONSTRAINT repository_credentials_pkey PRIMARY KEY (id);

ALTER TABLE ONLY runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY sealed_values
    ADD CONSTRAINT sealed_values_pkey PRIMARY KEY (id);

ALTER TABLE ONLY second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY web_service_standings
    ADD CONSTRAINT web_service_standings_pkey PRIMARY KEY (web_service_id);

ALTER TABLE ONLY web_services
    ADD CONSTRAINT web_services_pkey PRIMARY KEY (id);

ALTER TABLE ONLY workspace_quotas
    ADD CONSTRAINT workspace_quotas_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

CREATE INDEX audit_entries_at_id_idx ON audit_entries USING btree (at, id);

CREATE INDEX audit_entries_client_network_at_idx ON audit_entries USING btree (client_network, at);

CREATE INDEX audit_entries_workspace_id_at_id_idx ON audit_entries USING btree (workspace_id, at, id);

CREATE INDEX bandwidth_usage_month_bytes_idx ON bandwidth_usage USING btree (month, bytes);

CREATE UNIQUE INDEX credentials_email_key ON credentials USING btree (email);

CREATE INDEX cron_jobs_next_at_idx ON cron_jobs USING btree (next_at);

CREATE UNIQUE INDEX cron_jobs_web_service_id_name_key ON cron_jobs USING btree (web_service_id, name);

CREATE UNIQUE INDEX custom_domains_verified_domain_key ON custom_domains USING btree (verified_domain);

CREATE UNIQUE INDEX custom_domains_web_service_id_domain_key ON custom_domains USING btree (web_service_id, domain);

CREATE INDEX database_attachments_database_id_idx ON database_attachments USING btree (database_id);

CREATE UNIQUE INDEX database_attachments_web_service_id_variable_key ON database_attachments USING btree (web_service_id, variable);

CREATE INDEX database_backups_database_id_created_at_idx ON database_backups USING btree (database_id, created_at);

CREATE INDEX database_backups_status_idx ON database_backups USING btree (status);

CREATE INDEX database_creations_workspace_id_created_at_idx ON database_creations USING btree (workspace_id, created_at);

CREATE INDEX database_restores_backup_id_created_at_idx ON database_restores USING btree (backup_id, created_at);

CREATE INDEX database_restores_database_id_idx ON database_restores USING btree (database_id);

CREATE INDEX database_restores_status_idx ON database_restores USING btree (status);

CREATE INDEX databases_workspace_id_created_at_id_idx ON databases USING btree (workspace_id, created_at, id);

CREATE INDEX deploy_hook_deliveries_hook_id_at_idx ON deploy_hook_deliveries USING btree (hook_id, at);

CREATE UNIQUE INDEX deploy_hooks_token_hash_key ON deploy_hooks USING btree (token_hash);

CREATE UNIQUE INDEX deploy_hooks_web_service_id_key ON deploy_hooks USING btree (web_service_id);

CREATE UNIQUE INDEX deployments_web_service_id_number_key ON deployments USING btree (web_service_id, number);

CREATE INDEX invitations_email_created_at_idx ON invitations USING btree (email, created_at);

CREATE INDEX invitations_invited_by_created_at_idx ON invitations USING btree (invited_by, created_at);

CREATE UNIQUE INDEX invitations_token_hash_key ON invitations USING btree (token_hash);

CREATE INDEX invitations_workspace_id_created_at_idx ON invitations USING btree (workspace_id, created_at);

CREATE INDEX known_devices_last_seen_at_idx ON known_devices USING btree (last_seen_at);

CREATE INDEX login_failures_email_at_idx ON login_failures USING btree (email, at);

CREATE INDEX login_failures_ip_at_idx ON login_failures USING btree (ip, at);

CREATE INDEX memberships_workspace_id_idx ON memberships USING btree (workspace_id);

CREATE INDEX metric_minutes_at_idx ON metric_minutes USING btree (at);

CREATE INDEX metric_samples_at_idx ON metric_samples USING btree (at);

CREATE INDEX named_values_owner_id_idx ON named_values USING btree (owner_id);

CREATE INDEX password_reset_requests_email_requested_at_idx ON password_reset_requests USING btree (email, requested_at);

CREATE INDEX password_reset_requests_network_requested_at_idx ON password_reset_requests USING btree (network, requested_at);

CREATE UNIQUE INDEX password_reset_requests_token_hash_key ON password_reset_requests USING btree (token_hash);

CREATE UNIQUE INDEX platform_keys_key_hash_key ON platform_keys USING btree (key_hash);

CREATE INDEX platform_keys_user_id_workspace_id_idx ON platform_keys USING btree (user_id, workspace_id);

CREATE INDEX platform_keys_workspace_id_idx ON platform_keys USING btree (workspace_id);

CREATE INDEX projects_user_id_created_at_idx ON projects USING btree (user_id, created_at);

CREATE INDEX projects_workspace_id_created_at_idx ON projects USING btree (workspace_id, created_at);

CREATE INDEX releases_web_service_id_idx ON releases USING btree (web_service_id);

CREATE UNIQUE INDEX repository_credentials_web_service_id_kind_key ON repository_credentials USING btree (web_service_id, kind);

CREATE UNIQUE INDEX runs_cron_job_id_scheduled_for_key ON runs USING btree (cron_job_id, scheduled_for);

CREATE INDEX runs_web_service_id_created_at_idx ON runs USING btree (web_service_id, created_at);

CREATE INDEX sealed_values_web_service_id_idx ON sealed_values USING btree (web_service_id);

CREATE INDEX sessions_expires_at_idx ON sessions USING btree (expires_at);

CREATE UNIQUE INDEX sessions_id_key ON sessions USING btree (id);

CREATE INDEX sessions_user_id_idx ON sessions USING btree (user_id);

CREATE UNIQUE INDEX web_service_standings_active_deployment_id_key ON web_service_standings USING btree (active_deployment_id);

CREATE INDEX web_service_standings_to_do_idx ON web_service_standings USING btree (to_do);

CREATE INDEX web_services_project_id_idx ON web_services USING btree (project_id);

CREATE INDEX web_services_user_id_created_at_idx ON web_services USING btree (user_id, created_at);

ALTER TABLE ONLY bandwidth_usage
    ADD CONSTRAINT bandwidth_usage_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY cron_jobs
    ADD CONSTRAINT cron_jobs_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY custom_domains
    ADD CONSTRAINT custom_domains_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY database_attachments
    ADD CONSTRAINT database_attachments_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY database_restores
    ADD CONSTRAINT database_restores_backup_id_fkey FOREIGN KEY (backup_id) REFERENCES database_backups(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY deploy_hook_deliveries
    ADD CONSTRAINT deploy_hook_deliveries_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES deploy_hooks(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY deploy_hooks
    ADD CONSTRAINT deploy_hooks_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY metric_minutes
    ADD CONSTRAINT metric_minutes_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY metric_samples
    ADD CONSTRAINT metric_samples_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES second_factors(user_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY releases
    ADD CONSTRAINT releases_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY repository_credentials
    ADD CONSTRAINT repository_credentials_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY runs
    ADD CONSTRAINT runs_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY sealed_values
    ADD CONSTRAINT sealed_values_web_service_id_fkey FOREIGN KEY (web_service_id) REFERENCES web_service_standings(web_service_id) ON UPDATE CASCADE ON DELETE CASCADE;
