import type { Blockage } from '@postern/event-sourcing/postgres';
import type { Finding } from './ports.js';

const ADVICE: Readonly<Record<string, string>> = {
  full: 'Check that the consumer runs. Delete a consumer that is no longer used (nats consumer rm).',
  no_storage:
    'Free disk space on the NATS server, or raise jetstream.max_file_store. Events wait in the log until then.',
  wrong_settings:
    'Postern did not create these settings. Find out who did. Then, as the administrator of NATS, delete the stream (nats stream rm); its service creates it again and publishes what is missing.',
};

/** Whether the broker accepts the events of this service. */
export const outboxFindings = (blockage: Blockage | undefined): Finding[] =>
  blockage
    ? [
        {
          check: 'events to NATS',
          verdict: 'bad',
          found: `the broker cannot store events since ${blockage.since.toISOString()}: ${blockage.reason}`,
          advice: ADVICE[blockage.condition] ?? 'Events wait in the log until it can store them.',
        },
      ]
    : [];
