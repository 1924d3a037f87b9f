-- The messages of services in production that left from the sandbox sender: few among all of a service.
CREATE INDEX tracked_emails_sandbox_sender ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE mode = 'sandbox_fallback';
