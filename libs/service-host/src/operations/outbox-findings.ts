import type { Blockage } from '@postern/event-sourcing/postgres';
import type { Finding } from './ports.js';

const ADVICE: Readonly<Record<string, string>> = {
  full: 'See that the consumer runs. One that is gone for good: delete it from the stream (nats consumer rm).',
  no_storage: 'Make room on the disk of NATS, or raise jetstream.max_file_store. Events wait in the log until then.',
};

/** Whether the broker takes the events of this service. */
export const outboxFindings = (blockage: Blockage | undefined): Finding[] =>
  blockage
    ? [
        {
          check: 'events to NATS',
          verdict: 'bad',
          found: `the broker cannot store events since ${blockage.since.toISOString()}: ${blockage.reason}`,
          advice: ADVICE[blockage.condition] ?? 'Events wait in the log until it can.',
        },
      ]
    : [];
