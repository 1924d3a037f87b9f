import { DELIVERY_TRACKING_EVENTS } from '@postern/contracts';
import { EventSourcingModule } from '@postern/service-host';
import { trackedEmails } from '../../messages/tracked-emails.projection.js';
import { suppressedAddresses } from '../../suppressions/suppressed-addresses.projection.js';

/** The event store, its projections and the log that other services read. */
export const eventSourcing = EventSourcingModule.forService({
  service: 'delivery-tracking',
  events: DELIVERY_TRACKING_EVENTS,
  projections: [trackedEmails, suppressedAddresses],
  readYourWrites: suppressedAddresses,
});
