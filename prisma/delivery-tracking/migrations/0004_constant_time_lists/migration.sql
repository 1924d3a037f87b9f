-- Filled by the rebuild of the read model. The address of the first recipient in lower case; most messages have only one.
ALTER TABLE tracked_emails ADD COLUMN address text COLLATE "C";
CREATE INDEX tracked_emails_address ON tracked_emails (service_id, address, accepted_at DESC);
CREATE TABLE tracked_other_recipients (
    service_id uuid NOT NULL,
    address text COLLATE "C" NOT NULL,
    accepted_at timestamp(3) with time zone NOT NULL,
    email_id uuid NOT NULL,
    PRIMARY KEY (service_id, address, accepted_at, email_id)
);

CREATE INDEX tracked_emails_message_id ON tracked_emails USING hash (message_id);

-- Results and states that a user looks for among many delivered messages.
CREATE INDEX tracked_emails_of_result ON tracked_emails (service_id, result, accepted_at DESC, id DESC)
  WHERE result <> 'sent';
CREATE INDEX tracked_emails_under_way ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE states && '{pending,handed_over,deferred}';
CREATE INDEX tracked_emails_bounced ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE states @> '{bounced}';
CREATE INDEX tracked_emails_complained ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE states @> '{complained}';
CREATE INDEX tracked_emails_unknown ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE states @> '{unknown}';
CREATE INDEX tracked_emails_not_sent ON tracked_emails (service_id, accepted_at DESC, id DESC)
  WHERE states @> '{not_sent}';

-- Messages, where the other counts are of recipients.
ALTER TABLE daily_email_counts ADD COLUMN messages integer DEFAULT 0 NOT NULL;
ALTER TABLE daily_simulator_counts ADD COLUMN messages integer DEFAULT 0 NOT NULL;
