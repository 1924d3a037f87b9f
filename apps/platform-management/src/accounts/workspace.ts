import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type WorkspaceEvent = {
  readonly type: 'platform-management.workspace-created.v1';
  readonly data: {
    readonly workspace_id: string;
    readonly name: string;
    readonly created_by: string;
    readonly at: string;
  };
};

export type WorkspaceCommand = {
  readonly kind: 'create';
  readonly workspaceId: string;
  readonly name: string;
  readonly createdBy: string;
  readonly at: string;
};

/** Control characters and lone surrogates; PostgreSQL cannot store all of them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** A workspace owns email services, projects and databases. */
export const workspace: Decider<{ readonly id: string | undefined }, WorkspaceCommand, WorkspaceEvent> = {
  initial: { id: undefined },

  decide: ({ workspaceId, name, createdBy, at }, state) => {
    if (UNPRINTABLE.test(name)) throw new Refusal('invalid_input', 'name: must not contain control characters');
    if (state.id !== undefined) return [];
    return [
      {
        type: 'platform-management.workspace-created.v1',
        data: { workspace_id: workspaceId, name, created_by: createdBy, at },
      },
    ];
  },

  evolve: (_state, event) => ({ id: event.data.workspace_id }),
};

export const workspaceStream = (id: string): string => `workspace-${id}`;
