import { fold } from '@postern/event-sourcing';
import type pg from 'pg';
import { eventsOf, type StreamEvents } from './account-transactions.js';
import type { WorkspaceRow } from './ports.js';
import { type UserEvent, user, userStream } from './user.js';
import { workspace, workspaceStream } from './workspace.js';

/** The first event of a workspace. */
export const workspaceCreation = ({ id, name }: WorkspaceRow, createdBy: string, at: string): StreamEvents => ({
  streamId: workspaceStream(id),
  events: workspace.decide({ kind: 'create', workspaceId: id, name, createdBy, at }, workspace.initial),
});

/**
 * The events of a user who creates a workspace, in a transaction that has locked both streams. With `isMissing`, a user
 * who belongs to no workspace gets one even if the workspaces that the user created and left exhaust the limit.
 * @throws the refusals `user_not_found` and `quota_reached`.
 */
export const creationByUser = async (
  client: pg.PoolClient,
  userId: string,
  created: WorkspaceRow,
  isMissing = false,
): Promise<readonly StreamEvents[]> => {
  const at = new Date().toISOString();
  const streamId = userStream(userId);
  const state = fold(user, await eventsOf<UserEvent>(client, streamId));
  const kind = isMissing ? 'create-missing-workspace' : 'create-workspace';
  const events = user.decide({ kind, workspaceId: created.id, at }, state);
  return [{ streamId, events }, workspaceCreation(created, userId, at)];
};
