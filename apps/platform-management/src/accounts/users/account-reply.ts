import type { WorkspaceRole } from '@postern/contracts';

interface AccountFacts {
  readonly id: string;
  readonly email: string;
  readonly operator: boolean;
  readonly createdAt: Date;
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: WorkspaceRole }[];
}

/** Maps a user to the reply of the contracts. */
export const accountReply = ({ id, email, operator, createdAt, workspaces }: AccountFacts) => ({
  id,
  email,
  operator,
  workspaces: workspaces.map(({ id, name, role }) => ({ id, name, role })),
  created_at: createdAt.toISOString(),
});
