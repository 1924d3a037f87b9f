-- Settings that owners change later; null for the default of the runtime.
ALTER TABLE web_services ADD COLUMN release_command text;
ALTER TABLE web_services ADD COLUMN instance_memory_mib integer;
ALTER TABLE web_services ADD COLUMN instance_cpu_millicores integer;
ALTER TABLE web_services ADD COLUMN drain_seconds integer;
ALTER TABLE web_services ADD COLUMN processes jsonb NOT NULL DEFAULT '{}';
ALTER TABLE web_services ADD COLUMN auto_deploy boolean NOT NULL DEFAULT true;

-- What a release runs with stays as it was when it began. Until now, settings never changed.
ALTER TABLE releases ADD COLUMN settings jsonb;
-- The event store is there before this migration wherever there are releases.
DO $$
BEGIN
  IF to_regclass('event_store.events') IS NOT NULL THEN
    EXECUTE $update$
      UPDATE releases r SET settings = jsonb_build_object(
        'name', e.data->'name',
        'start_command', e.data->'start_command',
        'health_check_path', e.data->'health_check_path',
        'port', e.data->'port'
      ) FROM event_store.events e
      WHERE e.stream_id = 'web-service-' || r.web_service_id
        AND e.type = 'platform-management.web-service-created.v1'
    $update$;
  END IF;
END
$$;
