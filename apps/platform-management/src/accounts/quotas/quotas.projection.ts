import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection } from '@postern/event-sourcing/postgres';
import { READ_MODELS } from '../../infrastructure/postgres/read-models.js';
import type { WorkspaceDeleted, WorkspaceQuotasChanged } from '../workspaces/workspace.js';
import { DELETE_LIMITS, SAVE_LIMITS } from './quotas.sql.js';

/** The read model of the limits that operators have set. */
export const quotas: Projection = {
  ...READ_MODELS.quotas,
  version: 2,
  tables: ['workspace_quotas'],
  eventTypes: ['platform-management.workspace-quotas-changed.v1', 'platform-management.workspace-deleted.v1'],
  apply: async (events, tx) => {
    for (const { type, data } of events as readonly (RecordedEvent & (WorkspaceQuotasChanged | WorkspaceDeleted))[]) {
      if (type === 'platform-management.workspace-deleted.v1') await tx.query(DELETE_LIMITS(tx), [data.workspace_id]);
      else await tx.query(SAVE_LIMITS(tx), [data.workspace_id, JSON.stringify(data.limits)]);
    }
  },
};
