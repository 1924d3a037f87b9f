import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { applyDeploymentEvent, deleteDeploymentsOf } from '../../deployments/deployments.projection.js';
import {
  isDeploymentEvent,
  WEB_SERVICE_EVENT_TYPES,
  type WebServiceEvent,
} from '../../web-services/aggregate/events.js';
import { applyWebServiceEvent } from '../../web-services/web-services.projection.js';

type Recorded = RecordedEvent & WebServiceEvent;

/** The read models of web services and deployments: one projection, so that both show the same point in time. */
export const webServices: Projection = {
  name: 'web-services',
  version: 2,
  tables: ['web_services', 'deployments'],
  eventTypes: WEB_SERVICE_EVENT_TYPES,
  apply: async (events, tx) => {
    for (const event of events as readonly Recorded[]) {
      if (event.type === 'platform-management.web-service-deletion-requested.v1')
        await deleteDeploymentsOf(event.data.web_service_id, tx);
      await (isDeploymentEvent(event) ? applyDeploymentEvent(event, tx) : applyWebServiceEvent(event, tx));
    }
  },
};
