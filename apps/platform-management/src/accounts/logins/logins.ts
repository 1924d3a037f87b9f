import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { wideNetworkOf } from '@postern/service-host';
import type pg from 'pg';
import { AccountTransactions, eventsOf, type StreamEvents } from '../account-transactions.js';
import { type User, type UserEvent, user, userStream } from '../users/user.js';
import { workspaceStream } from '../workspaces/workspace.js';
import { creationByUser } from '../workspaces/workspace-creation.js';
import type { WorkspaceRow } from '../workspaces/workspace-rows.js';
import { OPEN_SESSION, REMEMBER_DEVICE } from './logins.sql.js';

export interface NewSession {
  readonly userId: string;
  readonly workspace: WorkspaceRow & { readonly isNew?: boolean };
  readonly tokenHash: string;
  /** The hash that the password was verified against. */
  readonly passwordHash: string;
  readonly expiresAt: Date;
  readonly clientAddress: string;
  /** The user agent in short form. */
  readonly userAgent: string | undefined;
  /** Whether the device has proved that it has signed in before. */
  readonly isKnownDevice: boolean;
}

/** Opens the sessions of users who have proved who they are. */
@Injectable()
export class Logins {
  constructor(private readonly transactions: AccountTransactions) {}

  /**
   * Opens a session; creates a new workspace and records an unknown device in the same transaction.
   * @returns false, without opening a session, if the password has changed since it was verified.
   */
  async open(session: NewSession): Promise<boolean> {
    const { userId, workspace } = session;
    let opened = false;
    await this.transactions.run([userStream(userId), workspaceStream(workspace.id)], async client => {
      opened = await insertSession(client, session);
      if (!opened) return undefined;
      const isNewDevice = await rememberDevice(client, session);
      if (!workspace.isNew && !isNewDevice) return undefined;
      const state = fold(user, await eventsOf<UserEvent>(client, userStream(userId)));
      const at = new Date().toISOString();
      return workspace.isNew ? creationByUser(state, userId, workspace, at, true) : [newDeviceOf(state, session, at)];
    });
    return opened;
  }
}

const insertSession = async (client: Pick<pg.Pool, 'query'>, session: NewSession): Promise<boolean> => {
  const { tokenHash, userId, workspace, passwordHash, expiresAt, clientAddress, userAgent } = session;
  const values = [tokenHash, userId, workspace.id, expiresAt, passwordHash, clientAddress, userAgent ?? null];
  return (await client.query(OPEN_SESSION, values)).rowCount === 1;
};

/** Records the user agent and network. @returns whether they are new to a user with others, on an unknown device. */
const rememberDevice = async (client: pg.PoolClient, session: NewSession): Promise<boolean> => {
  const network = wideNetworkOf(session.clientAddress) ?? 'unknown';
  const values = [session.userId, network, session.userAgent ?? ''];
  const { rows } = await client.query<{ isNew: boolean; hasOthers: boolean }>(REMEMBER_DEVICE, values);
  return rows.some(({ isNew, hasOthers }) => isNew && hasOthers) && !session.isKnownDevice;
};

const newDeviceOf = (state: User, { userId, userAgent }: NewSession, at: string): StreamEvents => ({
  streamId: userStream(userId),
  events: user.decide({ kind: 'note-new-device', device: userAgent, at }, state),
});
