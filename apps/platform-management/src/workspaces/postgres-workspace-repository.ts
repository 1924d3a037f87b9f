import { Injectable } from '@nestjs/common';
import { INVITATION_DAYS, Refusal } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { hashOfMailedToken, newMailedToken } from '../infrastructure/encryption/mailed-token.js';
import { AccountTransactions, eventsOf } from '../infrastructure/postgres/account-transactions.js';
import { tokenInvalid } from '../password-resets/password-reset.js';
import { END_SESSIONS_IN_WORKSPACE } from '../sessions/sessions.sql.js';
import { INSERT_CREDENTIALS } from '../users/credentials.sql.js';
import { type UserEvent, user, userStream } from '../users/user.js';
import {
  COUNT_INVITATIONS,
  DELETE_OLD_INVITATIONS,
  END_INVITATIONS_OF_USER,
  FIND_INVITATION,
  INSERT_INVITATION,
  REVOKE_INVITATION,
  SET_INVITATION_TOKEN,
  USE_INVITATION,
} from './invitations.sql.js';
import { type InvitationRow, type Invite, WorkspaceRepository, type WorkspaceRow } from './ports.js';
import { type Workspace, type WorkspaceEvent, workspace, workspaceStream } from './workspace.js';
import { creationByUser } from './workspace-creation.js';
import { type MemberCommand, requireOwner } from './workspace-members.js';

/** Writes the events of workspaces, and changes invitations and the sessions of removed members in the same transaction. */
@Injectable()
export class PostgresWorkspaceRepository extends WorkspaceRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
  ) {
    super();
  }

  override async create(userId: string, created: WorkspaceRow): Promise<void> {
    const streamId = userStream(userId);
    await this.transactions.run([streamId, workspaceStream(created.id)], async client => {
      const at = new Date().toISOString();
      return creationByUser(fold(user, await eventsOf<UserEvent>(client, streamId)), userId, created, at);
    });
  }

  override async execute(workspaceId: string, command: MemberCommand): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    await this.transactions.run([streamId], async client => {
      const state = await workspaceIn(client, streamId);
      const isInvitation = command.kind === 'remove-member' && !state.members[command.userId];
      if (isInvitation && (await revoked(client, workspaceId, state, command))) return undefined;
      const events = workspace.decide(command, state);
      if (events.length === 0) return undefined;
      if (command.kind === 'remove-member')
        await client.query(END_SESSIONS_IN_WORKSPACE, [command.userId, workspaceId]);
      if (command.kind === 'add-member') await client.query(END_INVITATIONS_OF_USER, [workspaceId, command.userId]);
      return [{ streamId, events }];
    });
  }

  override async rename(workspaceId: string, name: string, actorId: string): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    await this.transactions.run([streamId], async client => {
      const command = { kind: 'rename', name, actorId, at: new Date().toISOString() } as const;
      return [{ streamId, events: workspace.decide(command, await workspaceIn(client, streamId)) }];
    });
  }

  override async invite({ workspaceId, email, role, actorId }: Invite): Promise<InvitationRow> {
    const streamId = workspaceStream(workspaceId);
    let invitation: InvitationRow | undefined;
    await this.transactions.run([streamId], async client => {
      const state = await workspaceIn(client, streamId);
      const { rows } = await client.query(COUNT_INVITATIONS, [workspaceId, email]);
      const invitationId = uuidv7();
      const at = new Date().toISOString();
      const events = workspace.decide({ kind: 'invite-member', invitationId, actorId, counts: rows[0], at }, state);
      const values = [invitationId, workspaceId, email, role, actorId, INVITATION_DAYS];
      invitation = (await client.query<InvitationRow>(INSERT_INVITATION, values)).rows[0];
      return [{ streamId, events }];
    });
    if (!invitation) throw new Error(`the invitation to ${workspaceId} was not stored`);
    return invitation;
  }

  override async issueToken(invitationId: string): Promise<(InvitationRow & { readonly token: string }) | undefined> {
    const { token, tokenHash } = newMailedToken();
    const { rows } = await this.database.pool.query<InvitationRow>(SET_INVITATION_TOKEN, [invitationId, tokenHash]);
    return rows[0] && { ...rows[0], token };
  }

  override async findInvitation(token: string): Promise<InvitationRow | undefined> {
    return (await this.database.pool.query<InvitationRow>(FIND_INVITATION, [hashOfMailedToken(token)])).rows[0];
  }

  override async accept(
    { workspaceId, email, role, invitedBy }: InvitationRow,
    token: string,
    { userId, passwordHash }: { readonly userId: string; readonly passwordHash: string },
  ): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    const at = new Date().toISOString();
    const registered = user.decide({ kind: 'register', userId, email, operator: false, at }, user.initial);
    await this.transactions.run([streamId, userStream(userId)], async client => {
      const state = await workspaceIn(client, streamId);
      // An invitation is invalid once its inviter is no longer an owner.
      if (state.members[invitedBy] !== 'owner') throw tokenInvalid();
      if ((await client.query(USE_INVITATION, [hashOfMailedToken(token)])).rowCount === 0) throw tokenInvalid();
      const added = workspace.decide({ kind: 'add-member', userId, role, actorId: invitedBy, at }, state);
      const created = await client.query(INSERT_CREDENTIALS, [userId, email, passwordHash, false]);
      if (created.rowCount === 0)
        throw new Refusal('user_exists', 'a user with this email already exists; sign in and ask to be added');
      return [
        { streamId: userStream(userId), events: registered },
        { streamId, events: added },
      ];
    });
  }

  override async deleteOldInvitations(): Promise<void> {
    await inSteps(this.database.pool, DELETE_OLD_INVITATIONS, []);
  }
}

const workspaceIn = async (client: pg.PoolClient, streamId: string): Promise<Workspace> =>
  fold(workspace, await eventsOf<WorkspaceEvent>(client, streamId));

/** Revokes the invitation if the command removes one. @returns whether it did. */
const revoked = async (
  client: pg.PoolClient,
  workspaceId: string,
  { members }: Workspace,
  { userId, actorId }: MemberCommand,
): Promise<boolean> => {
  requireOwner(members, actorId);
  return (await client.query(REVOKE_INVITATION, [workspaceId, userId])).rowCount === 1;
};
