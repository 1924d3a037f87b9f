import { Injectable } from '@nestjs/common';
import type {
  EnvelopeOf,
  emailBounced,
  emailClicked,
  emailComplained,
  emailDelivered,
  emailOpened,
} from '@postern/contracts';
import type { Evidence } from '../domain/email-evidence.js';
import { UnresolvedEmails } from '../ports.js';

/** What delivery-tracking tells of a copy. */
export type Outcome = EnvelopeOf<
  typeof emailDelivered | typeof emailBounced | typeof emailComplained | typeof emailOpened | typeof emailClicked
>;

const KINDS: Readonly<Record<Outcome['type'], Evidence['kind']>> = {
  'delivery-tracking.email-delivered.v1': 'delivered',
  'delivery-tracking.email-bounced.v1': 'bounced',
  'delivery-tracking.email-complained.v1': 'complained',
  'delivery-tracking.email-opened.v1': 'opened',
  'delivery-tracking.email-clicked.v1': 'clicked',
};

/**
 * On outcomes as delivery-tracking publishes them: a message that we could not vouch for was handed over after all.
 * A bounce of a copy that we ourselves held back says nothing, and is about no copy whose outcome is unknown.
 */
@Injectable()
export class ResolveUnknownEmails {
  constructor(private readonly unresolved: UnresolvedEmails) {}

  async take(outcomes: readonly Outcome[]): Promise<void> {
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
