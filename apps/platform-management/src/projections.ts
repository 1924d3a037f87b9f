import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { type AppliedUserEvent, applyUserEvent, USER_EVENT_TYPES } from './accounts/users/users.projection.js';
import type { WorkspaceDeleted } from './accounts/workspaces/workspace.js';
import {
  type AppliedWorkspaceEvent,
  applyWorkspaceEvent,
  WORKSPACE_EVENT_TYPES,
} from './accounts/workspaces/workspaces.projection.js';
import { READ_MODELS } from './infrastructure/postgres/read-models.js';
import { PLATFORM_KEY_EVENT_TYPES, type PlatformKeyEvent } from './platform-keys/platform-key.js';
import { applyPlatformKeyEvent, deleteKeysOf } from './platform-keys/platform-keys.projection.js';
import { PROJECT_EVENT_TYPES, type ProjectEvent } from './projects/project.js';
import { applyProjectEvent } from './projects/projects.projection.js';
import { applyDeploymentEvent, deleteDeploymentsOf } from './web-services/deployments/deployments.projection.js';
import { NAMED_VALUE_EVENT_TYPES, type NamedValueEvent } from './web-services/environment/named-values.js';
import { applyNamedValueEvent, deleteValuesOf } from './web-services/environment/named-values.projection.js';
import {
  isDeploymentEvent,
  WEB_SERVICE_EVENT_TYPES,
  type WebServiceEvent,
} from './web-services/services/aggregate/events.js';
import { applyWebServiceEvent } from './web-services/services/web-services.projection.js';

type AccountEvent = RecordedEvent & (AppliedUserEvent | AppliedWorkspaceEvent);

const isOfUser = (event: AccountEvent): event is RecordedEvent & AppliedUserEvent =>
  (USER_EVENT_TYPES as readonly string[]).includes(event.type);

/** The read models of users and workspaces with their members. Existing databases store them as one projection. */
export const accounts: Projection = {
  ...READ_MODELS.accounts,
  version: 4,
  tables: ['users', 'workspaces', 'memberships'],
  eventTypes: [...USER_EVENT_TYPES, ...WORKSPACE_EVENT_TYPES],
  apply: async (events, tx) => {
    for (const event of events as readonly AccountEvent[])
      await (isOfUser(event) ? applyUserEvent(event, tx) : applyWorkspaceEvent(event, tx));
  },
};

type WebServiceDeleted = Extract<WebServiceEvent, { type: 'platform-management.web-service-deleted.v1' }>;
type ResourceEvent = WorkspaceDeleted | PlatformKeyEvent | ProjectEvent | NamedValueEvent | WebServiceDeleted;

const applyResourceEvent = async (event: ResourceEvent, tx: Parameters<Projection['apply']>[1]): Promise<unknown> => {
  switch (event.type) {
    case 'platform-management.platform-key-created.v1':
    case 'platform-management.platform-key-revoked.v1':
      return applyPlatformKeyEvent(event, tx);
    case 'platform-management.project-created.v1':
    case 'platform-management.project-changed.v1':
      return applyProjectEvent(event, tx);
    case 'platform-management.project-deleted.v1':
      await deleteValuesOf(event.data.project_id, tx);
      return applyProjectEvent(event, tx);
    case 'platform-management.web-service-deleted.v1':
      return deleteValuesOf(event.data.web_service_id, tx);
    case 'platform-management.workspace-deleted.v1':
      return deleteKeysOf(event.data.workspace_id, tx);
    default:
      return applyNamedValueEvent(event, tx);
  }
};

/** The read models of platform keys, projects and named values. Existing databases store them as one projection. */
export const resources: Projection = {
  ...READ_MODELS.resources,
  version: 4,
  tables: ['platform_keys', 'projects', 'named_values'],
  eventTypes: [
    ...PLATFORM_KEY_EVENT_TYPES,
    ...PROJECT_EVENT_TYPES,
    ...NAMED_VALUE_EVENT_TYPES,
    'platform-management.web-service-deleted.v1',
    'platform-management.workspace-deleted.v1',
  ],
  apply: async (events, tx) => {
    for (const event of events) await applyResourceEvent(event as RecordedEvent & ResourceEvent, tx);
  },
};

/** The read models of web services and deployments: one projection, so that both show the same point in time. */
export const webServices: Projection = {
  ...READ_MODELS.webServices,
  version: 3,
  tables: ['web_services', 'deployments'],
  eventTypes: WEB_SERVICE_EVENT_TYPES,
  apply: async (events, tx) => {
    for (const event of events as readonly (RecordedEvent & WebServiceEvent)[]) {
      if (event.type === 'platform-management.web-service-deletion-requested.v1')
        await deleteDeploymentsOf(event.data.web_service_id, tx);
      await (isDeploymentEvent(event) ? applyDeploymentEvent(event, tx) : applyWebServiceEvent(event, tx));
    }
  },
};
