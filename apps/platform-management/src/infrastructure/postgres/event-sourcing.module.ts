import { PLATFORM_MANAGEMENT_EVENTS } from '@postern/contracts';
import { EventSourcingModule } from '@postern/service-host';
import { databases } from '../../databases/databases.projection.js';
import { quotas } from '../../quotas/quotas.projection.js';
import { accounts } from './accounts.projection.js';
import { resources } from './resources.projection.js';
import { webServices } from './web-services.projection.js';

/** The event store, the projections and the log of platform-management; all feature modules import this instance. */
export const eventSourcing = EventSourcingModule.forService({
  service: 'platform-management',
  events: PLATFORM_MANAGEMENT_EVENTS,
  contractFieldsOnly: true,
  projections: [accounts, resources, webServices, databases, quotas],
});
