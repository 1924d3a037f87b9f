import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export interface WorkspaceQuotasChanged {
  readonly type: 'platform-management.workspace-quotas-changed.v1';
  readonly data: {
    readonly workspace_id: string;
    /** Every limit that differs from its default, after the change. */
    readonly limits: QuotaOverrides;
    readonly actor_id: string;
    readonly at: string;
  };
}

export interface WorkspaceCreated {
  readonly type: 'platform-management.workspace-created.v1';
  readonly data: {
    readonly workspace_id: string;
    readonly name: string;
    readonly created_by: string;
    readonly at: string;
  };
}

export type WorkspaceEvent = WorkspaceCreated | WorkspaceQuotasChanged;

export type WorkspaceCommand =
  | {
      readonly kind: 'create';
      readonly workspaceId: string;
      readonly name: string;
      readonly createdBy: string;
      readonly at: string;
    }
  | {
      readonly kind: 'set-quotas';
      /** `null` returns to the default. */
      readonly changes: { readonly [Name in QuotaName]?: number | null | undefined };
      readonly actorId: string;
      readonly at: string;
    };

export interface Workspace {
  readonly id: string | undefined;
  readonly limits: QuotaOverrides;
}

/** Control characters and lone surrogates; PostgreSQL cannot store all of them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** A workspace owns email services, projects and databases. Operators set how many it may have. */
export const workspace: Decider<Workspace, WorkspaceCommand, WorkspaceEvent> = {
  initial: { id: undefined, limits: {} },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create': {
        const { workspaceId, name, createdBy, at } = command;
        if (UNPRINTABLE.test(name)) throw new Refusal('invalid_input', 'name: must not contain control characters');
        if (state.id !== undefined) return [];
        return [
          {
            type: 'platform-management.workspace-created.v1',
            data: { workspace_id: workspaceId, name, created_by: createdBy, at },
          },
        ];
      }
      case 'set-quotas':
        return setQuotas(command, state);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.workspace-created.v1':
        return { ...state, id: event.data.workspace_id };
      case 'platform-management.workspace-quotas-changed.v1':
        return { ...state, limits: event.data.limits };
    }
  },
};

function setQuotas(
  { changes, actorId, at }: Extract<WorkspaceCommand, { kind: 'set-quotas' }>,
  { id, limits }: Workspace,
): WorkspaceEvent[] {
  if (id === undefined) throw workspaceNotFound();
  const changed = Object.entries(changes).filter(
    ([name, limit]) => limit !== undefined && limit !== (limits[name as QuotaName] ?? null),
  );
  if (changed.length === 0) return [];
  const all = Object.entries({ ...limits, ...Object.fromEntries(changed) });
  return [
    {
      type: 'platform-management.workspace-quotas-changed.v1',
      data: {
        workspace_id: id,
        limits: Object.fromEntries(all.filter(([, limit]) => limit !== null)),
        actor_id: actorId,
        at,
      },
    },
  ];
}

export const workspaceNotFound = (): Refusal => new Refusal('workspace_not_found', 'there is no such workspace');

export const workspaceStream = (id: string): string => `workspace-${id}`;
