import { Injectable } from '@nestjs/common';
import { OUTCOME_EVENTS, trackingConsumer } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import type { Evidence } from './email.js';
import { UnresolvedEmails } from './unresolved-emails.js';

/** The outcomes of copies, as delivery-tracking publishes them. */
export type Outcomes = EventBatch<(typeof OUTCOME_EVENTS)[number]>;

const KINDS: Readonly<Record<Outcomes[number]['type'], Evidence['kind']>> = {
  'delivery-tracking.email-delivered.v1': 'delivered',
  'delivery-tracking.email-bounced.v1': 'bounced',
  'delivery-tracking.email-complained.v1': 'complained',
  'delivery-tracking.email-opened.v1': 'opened',
  'delivery-tracking.email-clicked.v1': 'clicked',
};

/**
 * Sets messages with an unknown outcome to `sent` when an outcome of one of their copies is published. A bounce of a
 * suppressed copy is no evidence, and no such copy has an unknown outcome.
 */
@Injectable()
export class ResolveUnknownEmails {
  constructor(private readonly unresolved: UnresolvedEmails) {}

  @HandlesEvents(OUTCOME_EVENTS, trackingConsumer)
  async onOutcomes(outcomes: Outcomes): Promise<void> {
    await this.unresolved.confirm(
      outcomes.map(({ type, data }) => ({
        emailId: data.email_id,
        index: data.recipient_index,
        kind: KINDS[type],
        at: data.timestamp,
      })),
    );
  }
}
