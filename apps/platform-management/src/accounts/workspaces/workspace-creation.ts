import type { Append } from '@postern/event-sourcing';
import { type User, user, userStream } from '../users/user.js';
import { workspace, workspaceStream } from './workspace.js';
import type { WorkspaceRow } from './workspace-rows.js';

type StreamEvents = Pick<Append, 'streamId' | 'events'>;

/** The first event of a workspace. */
export const workspaceCreation = ({ id, name }: WorkspaceRow, createdBy: string, at: string): StreamEvents => ({
  streamId: workspaceStream(id),
  events: workspace.decide({ kind: 'create', workspaceId: id, name, createdBy, at }, workspace.initial),
});

/**
 * The events of a user who creates a workspace. With `isMissing`, a user who belongs to no workspace gets one even if the workspaces
 * that the user created and left exhaust the limit. @throws the refusals `user_not_found` and `quota_reached`.
 */
export const creationByUser = (
  state: User,
  userId: string,
  created: WorkspaceRow,
  at: string,
  isMissing = false,
): readonly StreamEvents[] => {
  const kind = isMissing ? 'create-missing-workspace' : 'create-workspace';
  const events = user.decide({ kind, workspaceId: created.id, at }, state);
  return [{ streamId: userStream(userId), events }, workspaceCreation(created, userId, at)];
};
