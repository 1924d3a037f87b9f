import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import type { WorkspaceQuotasChanged } from '../accounts/workspace.js';
import { SAVE_LIMITS } from './quotas.sql.js';

/** The limits that operators have set for workspaces. */
export const quotas: Projection = {
  name: 'quotas',
  version: 1,
  tables: ['workspace_quotas'],
  eventTypes: ['platform-management.workspace-quotas-changed.v1'],
  apply: async (events, tx) => {
    for (const { data } of events as readonly (RecordedEvent & WorkspaceQuotasChanged)[])
      await tx.query(SAVE_LIMITS(tx), [data.workspace_id, JSON.stringify(data.limits)]);
  },
};
