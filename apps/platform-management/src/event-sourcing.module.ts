import { PLATFORM_MANAGEMENT_EVENTS } from '@postern/contracts';
import { EventSourcingModule } from '@postern/service-host';
import { quotas } from './accounts/quotas/quotas.projection.js';
import { databases } from './databases/databases.projection.js';
import { accounts, resources, webServices } from './projections.js';

/** The event store, the projections and the log of platform-management. */
export const eventSourcing = EventSourcingModule.forService({
  service: 'platform-management',
  events: PLATFORM_MANAGEMENT_EVENTS,
  contractFieldsOnly: true,
  projections: [accounts, resources, webServices, databases, quotas],
});
