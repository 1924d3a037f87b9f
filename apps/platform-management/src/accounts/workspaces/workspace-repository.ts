import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { INVITATION_DAYS, Refusal } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import { Database } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { AccountTransactions, eventsOf } from '../account-transactions.js';
import { newMailedToken, tokenInvalid } from '../mailed-token.js';
import { END_SESSIONS_IN_WORKSPACE } from '../sessions/sessions.sql.js';
import { INSERT_CREDENTIALS } from '../users/credentials.sql.js';
import { type UserEvent, user, userStream } from '../users/user.js';
import {
  COUNT_INVITATIONS,
  FIND_INVITATION,
  FIND_INVITATION_OF_USER,
  INSERT_INVITATION,
  LIST_INVITATIONS_OF_USER,
  REVOKE_INVITATION,
  SET_INVITATION_TOKEN,
  USE_INVITATION,
  USE_INVITATION_TOKEN,
} from './invitations.sql.js';
import { type Workspace, type WorkspaceEvent, workspace, workspaceStream } from './workspace.js';
import { creationByUser } from './workspace-creation.js';
import { type MemberCommand, requireOwner } from './workspace-members.js';
import {
  type InvitationRow,
  type Invite,
  type MailedInvitation,
  type ReceivedInvitation,
  type WorkspaceRow,
} from './workspace-rows.js';

/** Writes the events of workspaces, and changes invitations and the sessions of removed members in the same transaction. */
@Injectable()
export class WorkspaceRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
  ) {}

  /**
   * Creates a workspace and its creator's membership in one transaction.
   * @throws the refusals `user_not_found` and `quota_reached`.
   */
  async create(userId: string, created: WorkspaceRow): Promise<void> {
    const streamId = userStream(userId);
    await this.transactions.run([streamId, workspaceStream(created.id)], async client => {
      const at = new Date().toISOString();
      return creationByUser(fold(user, await eventsOf<UserEvent>(client, streamId)), userId, created, at);
    });
  }

  /**
   * Executes the command; removing a member ends the member's sessions in the workspace in the same transaction. An
   * invitation is removed like a member, by its id. @throws the refusals of `decideMembers`.
   */
  async execute(workspaceId: string, command: MemberCommand): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    await this.transactions.run([streamId], async client => {
      const state = await workspaceIn(client, streamId);
      const isInvitation = command.kind === 'remove-member' && !state.members[command.userId];
      if (isInvitation && (await revoked(client, workspaceId, state, command))) return undefined;
      const events = workspace.decide(command, state);
      if (events.length === 0) return undefined;
      if (command.kind === 'remove-member')
        await client.query(END_SESSIONS_IN_WORKSPACE, [command.userId, workspaceId]);
      return [{ streamId, events }];
    });
  }

  /** @throws the refusals `workspace_not_found`, `role_insufficient` and `invalid_input`. */
  async rename(workspaceId: string, name: string, actorId: string): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    await this.transactions.run([streamId], async client => {
      const command = { kind: 'rename', name, actorId, at: new Date().toISOString() } as const;
      return [{ streamId, events: workspace.decide(command, await workspaceIn(client, streamId)) }];
    });
  }

  /** @throws the refusals of `decideInvitation`. */
  async invite({ workspaceId, email, role, actorId }: Invite): Promise<InvitationRow> {
    const streamId = workspaceStream(workspaceId);
    // Not streams: these locks serialize the invitations of one inviter and to one address, so that the counts are exact.
    const locks = [`invitations-by-${actorId}`, `invitations-to-${email}`];
    let invitation: InvitationRow | undefined;
    await this.transactions.run([streamId, ...locks], async client => {
      const state = await workspaceIn(client, streamId);
      const { rows } = await client.query(COUNT_INVITATIONS, [workspaceId, email, actorId]);
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

  /** Replaces the token of an invitation that can be accepted, and stores its hash; undefined for other invitations. */
  async issueToken(invitationId: string): Promise<MailedInvitation | undefined> {
    const { token, tokenHash } = newMailedToken();
    const values = [invitationId, tokenHash];
    const { rows } = await this.database.pool.query<Omit<MailedInvitation, 'token'>>(SET_INVITATION_TOKEN, values);
    return rows[0] && { ...rows[0], token };
  }

  /** The invitations that a user can accept, the newest first. */
  async invitationsTo(userId: string): Promise<readonly ReceivedInvitation[]> {
    return (await this.database.pool.query<ReceivedInvitation>(LIST_INVITATIONS_OF_USER, [userId])).rows;
  }

  /**
   * Makes an invited user a member, once. @returns the id of the workspace.
   * @throws the refusals `invitation_not_found`, `member_exists` and `quota_reached`.
   */
  async join(userId: string, invitationId: string): Promise<string> {
    const { workspaceId, role, invitedBy } = await this.#invitationOf(userId, invitationId);
    const streamId = workspaceStream(workspaceId);
    const at = new Date().toISOString();
    await this.transactions.run([streamId], async client => {
      const state = await workspaceIn(client, streamId);
      if (state.members[invitedBy] !== 'owner') throw invitationNotFound();
      if ((await client.query(USE_INVITATION, [invitationId])).rowCount === 0) throw invitationNotFound();
      const command = { kind: 'add-member', userId, role, actorId: invitedBy, at } as const;
      return [{ streamId, events: workspace.decide(command, state) }];
    });
    return workspaceId;
  }

  /** @throws the refusal `invitation_not_found`. */
  async decline(userId: string, invitationId: string): Promise<void> {
    await this.#invitationOf(userId, invitationId);
    const { rowCount } = await this.database.pool.query(USE_INVITATION, [invitationId]);
    if (rowCount === 0) throw invitationNotFound();
  }

  async #invitationOf(userId: string, invitationId: string): Promise<InvitationRow> {
    const { rows } = await this.database.pool.query<InvitationRow>(FIND_INVITATION_OF_USER, [userId, invitationId]);
    if (!rows[0]) throw invitationNotFound();
    return rows[0];
  }

  /** Undefined if the invitation was accepted, was revoked, or has expired. */
  async findInvitation(token: string): Promise<InvitationRow | undefined> {
    return (await this.database.pool.query<InvitationRow>(FIND_INVITATION, [hash('sha256', token)])).rows[0];
  }

  /**
   * Creates the user and their membership in one transaction, once.
   * @throws the refusals `token_invalid` and `user_exists`.
   */
  async accept(
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
      if ((await client.query(USE_INVITATION_TOKEN, [hash('sha256', token)])).rowCount === 0) throw tokenInvalid();
      const added = workspace.decide({ kind: 'add-member', userId, role, actorId: invitedBy, at }, state);
      const created = await client.query(INSERT_CREDENTIALS, [userId, email, passwordHash, false]);
      if (created.rowCount === 0)
        throw new Refusal(
          'user_exists',
          'a user with this email already exists; sign in and accept the invitation there',
        );
      return [
        { streamId: userStream(userId), events: registered },
        { streamId, events: added },
      ];
    });
  }
}

const invitationNotFound = (): Refusal =>
  new Refusal('invitation_not_found', 'there is no such invitation; it may have been revoked or have expired');

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
