-- What stands now, one row a service, written in the transactions of the events.
CREATE TABLE web_service_standings (
  web_service_id        uuid NOT NULL,
  active_deployment_id  uuid,
  serving_release_id    uuid,
  to_do                 boolean NOT NULL,
  CONSTRAINT web_service_standings_pkey PRIMARY KEY (web_service_id)
);
CREATE UNIQUE INDEX web_service_standings_active_deployment_id_key ON web_service_standings (active_deployment_id);
CREATE INDEX web_service_standings_to_do_idx ON web_service_standings (to_do);

CREATE TABLE releases (
  id                  uuid NOT NULL,
  web_service_id      uuid NOT NULL,
  deployment_id       uuid NOT NULL,
  artefact_reference  text NOT NULL,
  commit              text NOT NULL,
  configuration_id    uuid NOT NULL,
  begun_at            timestamptz(3) NOT NULL,
  CONSTRAINT releases_pkey PRIMARY KEY (id)
);
CREATE INDEX releases_web_service_id_idx ON releases (web_service_id);

CREATE TABLE web_services (
  id                  uuid NOT NULL,
  user_id             uuid NOT NULL,
  project_id          uuid NOT NULL,
  name                text NOT NULL,
  git_repository_url  text NOT NULL,
  branch              text,
  build_command       text,
  start_command       text,
  health_check_path   text,
  port                integer NOT NULL,
  min_instances       integer NOT NULL,
  max_instances       integer NOT NULL,
  environment         text NOT NULL,
  status              text NOT NULL,
  status_reason       text,
  blocked_reason      text,
  suspended_reason    text,
  created_at          timestamptz(3) NOT NULL,
  CONSTRAINT web_services_pkey PRIMARY KEY (id)
);
CREATE INDEX web_services_user_id_created_at_idx ON web_services (user_id, created_at);
CREATE INDEX web_services_project_id_idx ON web_services (project_id);

CREATE TABLE deployments (
  id              uuid NOT NULL,
  web_service_id  uuid NOT NULL,
  number          integer NOT NULL,
  branch          text,
  commit          text,
  status          text NOT NULL,
  error           text,
  rollback_of     uuid,
  created_at      timestamptz(3) NOT NULL,
  started_at      timestamptz(3),
  finished_at     timestamptz(3),
  CONSTRAINT deployments_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX deployments_web_service_id_number_key ON deployments (web_service_id, number);
