import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { NAMED_VALUE_EVENT_TYPES, type NamedValueEvent } from '../../environment/named-values.js';
import { applyNamedValueEvent } from '../../environment/named-values.projection.js';
import { PLATFORM_KEY_EVENT_TYPES, type PlatformKeyEvent } from '../../platform-keys/platform-key.js';
import { applyPlatformKeyEvent } from '../../platform-keys/platform-keys.projection.js';
import type { ProjectEvent } from '../../projects/project.js';
import { applyProjectEvent } from '../../projects/projects.projection.js';

type ResourceEvent = PlatformKeyEvent | ProjectEvent | NamedValueEvent;

const apply = (event: ResourceEvent, tx: Parameters<Projection['apply']>[1]): Promise<unknown> => {
  switch (event.type) {
    case 'platform-management.platform-key-created.v1':
    case 'platform-management.platform-key-revoked.v1':
      return applyPlatformKeyEvent(event, tx);
    case 'platform-management.project-created.v1':
      return applyProjectEvent(event, tx);
    default:
      return applyNamedValueEvent(event, tx);
  }
};

/** The read models of platform keys, projects and named values. Existing databases store them as one projection. */
export const resources: Projection = {
  name: 'resources',
  version: 2,
  tables: ['platform_keys', 'projects', 'named_values'],
  eventTypes: [...PLATFORM_KEY_EVENT_TYPES, 'platform-management.project-created.v1', ...NAMED_VALUE_EVENT_TYPES],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent & ResourceEvent, tx);
  },
};
