import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { NAMED_VALUE_EVENT_TYPES, type NamedValueEvent } from '../../environment/named-values.js';
import { applyNamedValueEvent, deleteValuesOf } from '../../environment/named-values.projection.js';
import { PLATFORM_KEY_EVENT_TYPES, type PlatformKeyEvent } from '../../platform-keys/platform-key.js';
import { applyPlatformKeyEvent, deleteKeysOf } from '../../platform-keys/platform-keys.projection.js';
import { PROJECT_EVENT_TYPES, type ProjectEvent } from '../../projects/project.js';
import { applyProjectEvent } from '../../projects/projects.projection.js';
import type { WebServiceEvent } from '../../web-services/aggregate/events.js';
import type { WorkspaceDeleted } from '../../workspaces/workspace.js';

type WebServiceDeleted = Extract<WebServiceEvent, { type: 'platform-management.web-service-deleted.v1' }>;
type ResourceEvent = WorkspaceDeleted | PlatformKeyEvent | ProjectEvent | NamedValueEvent | WebServiceDeleted;

const apply = async (event: ResourceEvent, tx: Parameters<Projection['apply']>[1]): Promise<unknown> => {
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
  name: 'resources',
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
    for (const event of events) await apply(event as RecordedEvent & ResourceEvent, tx);
  },
};
