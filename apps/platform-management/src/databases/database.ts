import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type DatabaseKind = 'relational' | 'key_value';

interface Happened {
  readonly database_id: string;
  readonly at: string;
}

/** Who may connect from outside of the platform. */
export interface ExternalAccess {
  readonly enabled: boolean;
  /** IPv4 networks in CIDR notation; they are kept while it is not enabled. */
  readonly allowed_cidrs: readonly string[];
}

interface HappenedFor extends Happened {
  readonly reason: string;
}

export type DatabaseEvent =
  | {
      readonly type: 'platform-management.database-created.v1';
      readonly data: Happened & {
        readonly workspace_id: string;
        readonly name: string;
        readonly kind: DatabaseKind;
        readonly plan: string;
        /** The limits of the plan at creation; later changes of the plan do not apply. */
        readonly limits: {
          readonly cpu_millicores: number;
          readonly memory_bytes: number;
          readonly storage_bytes: number;
          readonly connections: number;
        };
        readonly host: string;
        readonly port: number;
        /** The major version that was asked for; absent if none was. */
        readonly version?: string | undefined;
      };
    }
  | { readonly type: 'platform-management.database-became-available.v1'; readonly data: Happened }
  | { readonly type: 'platform-management.database-became-unavailable.v1'; readonly data: HappenedFor }
  | { readonly type: 'platform-management.database-became-read-only.v1'; readonly data: HappenedFor }
  | { readonly type: 'platform-management.database-became-writable.v1'; readonly data: Happened }
  | { readonly type: 'platform-management.database-provisioning-failed.v1'; readonly data: HappenedFor }
  | {
      readonly type: 'platform-management.database-external-access-changed.v1';
      readonly data: Happened & ExternalAccess;
    }
  | { readonly type: 'platform-management.database-deletion-requested.v1'; readonly data: Happened }
  | { readonly type: 'platform-management.database-deleted.v1'; readonly data: Happened };

export type DatabaseCreation = Extract<DatabaseEvent, { type: 'platform-management.database-created.v1' }>['data'];

export type DatabaseCommand =
  | { readonly kind: 'create'; readonly as: DatabaseCreation }
  | { readonly kind: 'report-available'; readonly at: string }
  | { readonly kind: 'report-unavailable'; readonly reason: string; readonly at: string }
  | { readonly kind: 'report-read-only'; readonly reason: string; readonly at: string }
  | { readonly kind: 'report-writable'; readonly at: string }
  | { readonly kind: 'fail-provisioning'; readonly reason: string; readonly at: string }
  | {
      readonly kind: 'change-external-access';
      readonly workspaceId: string;
      readonly changes: { readonly [Field in keyof ExternalAccess]?: ExternalAccess[Field] | undefined };
      readonly at: string;
    }
  | { readonly kind: 'request-deletion'; readonly workspaceId: string; readonly at: string }
  | { readonly kind: 'report-deleted'; readonly at: string };

export type DatabaseStatus = 'creating' | 'running' | 'unavailable' | 'failed' | 'deleting';

export interface Database {
  readonly id: string;
  readonly workspaceId: string;
  /** Undefined before its creation and after its deletion. */
  readonly status: DatabaseStatus | undefined;
  readonly readOnly: boolean;
  /** Why the database is unavailable. */
  readonly reason: string | undefined;
  readonly externalAccess: ExternalAccess;
}

export const DATABASE_EVENT_TYPES = [
  'platform-management.database-created.v1',
  'platform-management.database-became-available.v1',
  'platform-management.database-became-unavailable.v1',
  'platform-management.database-became-read-only.v1',
  'platform-management.database-became-writable.v1',
  'platform-management.database-provisioning-failed.v1',
  'platform-management.database-external-access-changed.v1',
  'platform-management.database-deletion-requested.v1',
  'platform-management.database-deleted.v1',
] as const satisfies readonly DatabaseEvent['type'][];

export const databaseStream = (id: string): string => `database-${id}`;

/**
 * A provisioned database. Repeated reports of the reconciler have no effect.
 */
export const database: Decider<Database, DatabaseCommand, DatabaseEvent> = {
  initial: {
    id: '',
    workspaceId: '',
    status: undefined,
    readOnly: false,
    reason: undefined,
    externalAccess: { enabled: false, allowed_cidrs: [] },
  },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create':
        return [{ type: 'platform-management.database-created.v1', data: command.as }];
      case 'report-available':
        return when(state.status === 'creating' || state.status === 'unavailable', {
          type: 'platform-management.database-became-available.v1',
          data: { database_id: state.id, at: command.at },
        });
      case 'report-unavailable':
        return when(state.status === 'running' || (state.status === 'unavailable' && state.reason !== command.reason), {
          type: 'platform-management.database-became-unavailable.v1',
          data: { database_id: state.id, reason: command.reason, at: command.at },
        });
      case 'report-read-only':
        return when(state.status === 'running' && !state.readOnly, {
          type: 'platform-management.database-became-read-only.v1',
          data: { database_id: state.id, reason: command.reason, at: command.at },
        });
      case 'report-writable':
        return when(state.status === 'running' && state.readOnly, {
          type: 'platform-management.database-became-writable.v1',
          data: { database_id: state.id, at: command.at },
        });
      case 'fail-provisioning':
        return when(state.status === 'creating', {
          type: 'platform-management.database-provisioning-failed.v1',
          data: { database_id: state.id, reason: command.reason, at: command.at },
        });
      case 'change-external-access':
        requireOwned(state, command.workspaceId);
        return changedAccess(state, command);
      case 'request-deletion':
        requireOwned(state, command.workspaceId);
        return when(state.status !== 'deleting', {
          type: 'platform-management.database-deletion-requested.v1',
          data: { database_id: state.id, at: command.at },
        });
      case 'report-deleted':
        return when(state.status === 'deleting', {
          type: 'platform-management.database-deleted.v1',
          data: { database_id: state.id, at: command.at },
        });
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.database-created.v1': {
        const { database_id, workspace_id } = event.data;
        return { ...database.initial, id: database_id, workspaceId: workspace_id, status: 'creating' };
      }
      case 'platform-management.database-became-available.v1':
        return { ...state, status: 'running', reason: undefined };
      case 'platform-management.database-became-unavailable.v1':
        return { ...state, status: 'unavailable', reason: event.data.reason };
      case 'platform-management.database-became-read-only.v1':
        return { ...state, readOnly: true };
      case 'platform-management.database-became-writable.v1':
        return { ...state, readOnly: false };
      case 'platform-management.database-provisioning-failed.v1':
        return { ...state, status: 'failed' };
      case 'platform-management.database-external-access-changed.v1': {
        const { enabled, allowed_cidrs } = event.data;
        return { ...state, externalAccess: { enabled, allowed_cidrs } };
      }
      case 'platform-management.database-deletion-requested.v1':
        return { ...state, status: 'deleting' };
      case 'platform-management.database-deleted.v1':
        return { ...state, status: undefined };
    }
  },
};

export const databaseNotFound = (): Refusal => new Refusal('database_not_found', 'there is no such database');

const requireOwned = ({ status, workspaceId }: Database, by: string): void => {
  if (status === undefined || workspaceId !== by) throw databaseNotFound();
};

const changedAccess = (
  { id, externalAccess }: Database,
  { changes, at }: Extract<DatabaseCommand, { kind: 'change-external-access' }>,
): readonly DatabaseEvent[] => {
  const { enabled = externalAccess.enabled, allowed_cidrs = externalAccess.allowed_cidrs } = changes;
  if (enabled && allowed_cidrs.length === 0)
    throw new Refusal(
      'invalid_input',
      'external_access.allowed_cidrs: name the networks that may connect, such as 203.0.113.0/24; 0.0.0.0/0 admits everyone',
    );
  const wanted: ExternalAccess = { enabled, allowed_cidrs };
  return when(JSON.stringify(wanted) !== JSON.stringify(externalAccess), {
    type: 'platform-management.database-external-access-changed.v1',
    data: { database_id: id, ...wanted, at },
  });
};

const when = (changes: boolean, event: DatabaseEvent): readonly DatabaseEvent[] => (changes ? [event] : []);
