import { Injectable } from '@nestjs/common';
import { emailsConsumer, TRACKED_EMAIL_EVENTS } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import { type EventBatch, HandlesEventsInTransaction } from '@postern/messaging';
import { RecordSignals } from './record-signals.js';
import type { Signal } from './signal.js';

/** An event of email-send about one email. */
export type EmailEvent = EventBatch<(typeof TRACKED_EMAIL_EVENTS)[number]>[number];

/** Records email-send's events, in the transaction of their position. An event that is read again changes nothing. */
@Injectable()
export class TrackEmails {
  constructor(private readonly signals: RecordSignals) {}

  @HandlesEventsInTransaction(TRACKED_EMAIL_EVENTS, emailsConsumer)
  async on(batch: readonly EmailEvent[], transaction?: EventTransaction): Promise<void> {
    await this.signals.execute(
      batch.map(event => ({
        emailId: event.data.email_id,
        signal: signalOf(event),
        metadata: {
          correlationId: event.metadata.correlation_id,
          causationId: event.id,
          traceparent: event.metadata.traceparent,
          actor: event.metadata.actor,
        },
      })),
      transaction,
    );
  }
}

function signalOf(event: EmailEvent): Signal {
  switch (event.type) {
    case 'email-send.email-accepted.v1':
      return { kind: 'accepted', data: event.data };
    case 'email-send.email-handed-over.v1':
      return { kind: 'handed_over', data: event.data };
    case 'email-send.email-copy-retried.v1':
      return { kind: 'copy_retried', data: event.data };
    case 'email-send.email-not-handed-over.v1':
      return { kind: 'not_handed_over', data: event.data };
    case 'email-send.email-interrupted.v1':
      return { kind: 'interrupted', data: event.data };
  }
}
