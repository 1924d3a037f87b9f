import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { type AppliedUserEvent, applyUserEvent, USER_EVENT_TYPES } from '../../users/users.projection.js';
import {
  type AppliedWorkspaceEvent,
  applyWorkspaceEvent,
  WORKSPACE_EVENT_TYPES,
} from '../../workspaces/workspaces.projection.js';

type Recorded = RecordedEvent & (AppliedUserEvent | AppliedWorkspaceEvent);

/** The read models of users and workspaces with their members. Existing databases store them as one projection. */
export const accounts: Projection = {
  name: 'accounts',
  version: 4,
  tables: ['users', 'workspaces', 'memberships'],
  eventTypes: [...USER_EVENT_TYPES, ...WORKSPACE_EVENT_TYPES],
  apply: async (events, tx) => {
    for (const event of events as readonly Recorded[])
      await (isOfUser(event) ? applyUserEvent(event, tx) : applyWorkspaceEvent(event, tx));
  },
};

const isOfUser = (event: Recorded): event is RecordedEvent & AppliedUserEvent =>
  (USER_EVENT_TYPES as readonly string[]).includes(event.type);
