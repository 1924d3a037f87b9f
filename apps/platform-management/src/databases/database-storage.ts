import type { Decider } from '@postern/event-sourcing';

export type DatabaseStorageEvent =
  | {
      readonly type: 'platform-management.database-nearly-full.v1';
      readonly data: { readonly database_id: string; readonly workspace_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.database-has-space.v1';
      readonly data: { readonly database_id: string; readonly at: string };
    };

export interface StorageReport {
  readonly kind: 'report-storage';
  readonly databaseId: string;
  readonly workspaceId: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly at: string;
}

const NEARLY_FULL = 0.9;
/** Lower than `NEARLY_FULL`, so that the state does not alternate. */
const HAS_SPACE = 0.8;

/** A separate stream, so that reports of the runtime do not conflict with commands for the database. */
export const databaseStorageStream = (databaseId: string): string => `database-storage-${databaseId}`;

/** Whether a database has nearly reached the storage limit of its plan. Repeated reports have no effect. */
export const databaseStorage: Decider<{ readonly nearlyFull: boolean }, StorageReport, DatabaseStorageEvent> = {
  initial: { nearlyFull: false },

  decide: ({ databaseId: database_id, workspaceId: workspace_id, usedBytes, limitBytes, at }, { nearlyFull }) => {
    const share = usedBytes / limitBytes;
    if (!nearlyFull && share >= NEARLY_FULL) {
      return [{ type: 'platform-management.database-nearly-full.v1', data: { database_id, workspace_id, at } }];
    }
    if (nearlyFull && share < HAS_SPACE) {
      return [{ type: 'platform-management.database-has-space.v1', data: { database_id, at } }];
    }
    return [];
  },

  evolve: (state, { type }) => {
    switch (type) {
      case 'platform-management.database-nearly-full.v1':
        return { nearlyFull: true };
      case 'platform-management.database-has-space.v1':
        return { nearlyFull: false };
      default:
        return state;
    }
  },
};
