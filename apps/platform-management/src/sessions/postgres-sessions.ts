import { Inject, Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { inSteps } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, wideNetworkOf } from '@postern/service-host';
import type pg from 'pg';
import type { PlatformManagementConfig } from '../config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { AccountTransactions, eventsOf, type StreamEvents } from '../infrastructure/postgres/account-transactions.js';
import { type User, type UserEvent, user, userStream } from '../users/user.js';
import { workspaceStream } from '../workspaces/workspace.js';
import { creationByUser } from '../workspaces/workspace-creation.js';
import type { NewSession, SessionRow, Sessions, SessionUser } from './ports.js';
import {
  DELETE_EXPIRED_SESSIONS,
  DELETE_OLD_DEVICES,
  FIND_SESSION,
  OPEN_SESSION,
  REMEMBER_DEVICE,
  SAVE_SESSION_USE,
} from './sessions.sql.js';

/** Stores sessions as rows without events, because their history is not needed. */
@Injectable()
export class PostgresSessions implements Sessions {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
    private readonly prisma: PrismaClient,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'sessionIdleMinutes'>,
  ) {}

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

  async find(tokenHash: string): Promise<SessionUser | undefined> {
    const query = { name: 'find-session', text: FIND_SESSION, values: [tokenHash, this.config.sessionIdleMinutes] };
    const { rows } = await this.database.pool.query<SessionUser & { readonly useIsOld: boolean }>(query);
    const [session] = rows;
    if (session?.useIsOld) await this.database.pool.query(SAVE_SESSION_USE, [tokenHash]);
    return session;
  }

  async switchWorkspace(tokenHash: string, workspaceId: string): Promise<void> {
    await this.prisma.session.updateMany({ where: { tokenHash }, data: { workspaceId } });
  }

  async end(tokenHash: string): Promise<void> {
    await this.prisma.session.deleteMany({ where: { tokenHash } });
  }

  listOf(userId: string): Promise<SessionRow[]> {
    const now = Date.now();
    const usedAfter = new Date(now - this.config.sessionIdleMinutes * 60_000);
    return this.prisma.session.findMany({
      where: { userId, expiresAt: { gt: new Date(now) }, lastUsedAt: { gt: usedAfter } },
      orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
    });
  }

  async endOne(userId: string, id: string): Promise<boolean> {
    return (await this.prisma.session.deleteMany({ where: { userId, id } })).count > 0;
  }

  async endAll(userId: string): Promise<number> {
    return (await this.prisma.session.deleteMany({ where: { userId } })).count;
  }

  async deleteExpired(): Promise<void> {
    await inSteps(this.database.pool, DELETE_EXPIRED_SESSIONS, [this.config.sessionIdleMinutes]);
    await inSteps(this.database.pool, DELETE_OLD_DEVICES, []);
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
