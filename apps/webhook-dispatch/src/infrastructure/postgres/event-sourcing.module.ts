import { EventSourcingModule } from '@postern/service-host';
import { webhooks } from '../../webhooks/webhooks.projection.js';

/** The event store and its projection. The service publishes no events. */
export const eventSourcing = EventSourcingModule.forService({
  service: 'webhook-dispatch',
  projections: [webhooks],
  readYourWrites: webhooks,
});
