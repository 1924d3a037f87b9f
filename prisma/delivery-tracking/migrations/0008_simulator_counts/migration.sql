-- Recipients of messages to the simulator alone, by service and UTC day of acceptance. Filled by the rebuild of the read model.
CREATE TABLE daily_simulator_counts (
  service_id      uuid NOT NULL,
  day             date NOT NULL,
  accepted        integer NOT NULL DEFAULT 0,
  sent            integer NOT NULL DEFAULT 0,
  failed          integer NOT NULL DEFAULT 0,
  unknown         integer NOT NULL DEFAULT 0,
  retry_requested integer NOT NULL DEFAULT 0,
  delivered       integer NOT NULL DEFAULT 0,
  bounced_hard    integer NOT NULL DEFAULT 0,
  bounced_soft    integer NOT NULL DEFAULT 0,
  complained      integer NOT NULL DEFAULT 0,
  opened          integer NOT NULL DEFAULT 0,
  clicked         integer NOT NULL DEFAULT 0,
  machine_opens   integer NOT NULL DEFAULT 0,
  machine_clicks  integer NOT NULL DEFAULT 0,
  PRIMARY KEY (service_id, day)
) WITH (fillfactor = 50);
