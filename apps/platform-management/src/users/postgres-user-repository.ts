import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { AccountTransactions, eventsOf, type StreamEvents } from '../infrastructure/postgres/account-transactions.js';
import { END_RESETS_OF_USER } from '../password-resets/password-resets.sql.js';
import { END_SESSIONS_OF_USER } from '../sessions/sessions.sql.js';
import { workspaceCreation } from '../workspaces/workspace-creation.js';
import {
  FIND_ENABLED_OPERATOR,
  FIND_OPERATOR,
  INSERT_CREDENTIALS,
  REPLACE_PASSWORD,
  SET_DISABLED,
} from './credentials.sql.js';
import type { Credentials, NewUser, UserRepository } from './ports.js';
import { type UserEvent, user, userStream } from './user.js';

/** The name of a lock, not of a stream, so that only one process creates the first operator. */
const FIRST_OPERATOR = 'first-operator';
/** The name of a lock, not of a stream, which serializes operators who disable each other. */
const OPERATORS = 'operators';

/** Writes credentials and events in one transaction. Events contain no hashes, so that hashes can be deleted. */
@Injectable()
export class PostgresUserRepository implements UserRepository {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly prisma: PrismaClient,
  ) {}

  async register(newUser: NewUser): Promise<void> {
    const events = firstEventsOf(newUser);
    await this.transactions.run(streamsOf(events), async client => {
      await insertCredentials(client, newUser);
      return events;
    });
  }

  registerFirstOperator(newUser: NewUser): Promise<boolean> {
    const events = firstEventsOf(newUser);
    return this.transactions.run([FIRST_OPERATOR, ...streamsOf(events)], async client => {
      const { rows } = await client.query(FIND_OPERATOR);
      if (rows.length > 0) return undefined;
      await insertCredentials(client, newUser);
      return events;
    });
  }

  async credentialsOf(email: string): Promise<Credentials | undefined> {
    const found = await this.prisma.credential.findUnique({ where: { email } });
    return found
      ? { userId: found.userId, passwordHash: found.passwordHash, disabled: found.disabledAt !== null }
      : undefined;
  }

  async passwordHashOf(userId: string): Promise<string | undefined> {
    return (await this.prisma.credential.findUnique({ where: { userId } }))?.passwordHash;
  }

  async replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean> {
    const streamId = userStream(userId);
    return this.transactions.run([streamId], async client => {
      const { rowCount } = await client.query(REPLACE_PASSWORD, [userId, verified, passwordHash]);
      if (rowCount === 0) return undefined;
      await client.query(END_SESSIONS_OF_USER, [userId]);
      await client.query(END_RESETS_OF_USER, [userId]);
      const state = fold(user, await eventsOf<UserEvent>(client, streamId));
      return [{ streamId, events: user.decide({ kind: 'change-password', at: new Date().toISOString() }, state) }];
    });
  }

  async setEnabled(userId: string, enabled: boolean, actorId: string): Promise<void> {
    const streamId = userStream(userId);
    const kind = enabled ? 'enable' : 'disable';
    await this.transactions.run([OPERATORS, streamId], async client => {
      const state = fold(user, await eventsOf<UserEvent>(client, streamId));
      const events = user.decide({ kind, actorId, at: new Date().toISOString() }, state);
      if (events.length === 0) return undefined;
      const { rowCount } = await client.query(SET_DISABLED, [userId, !enabled]);
      if (rowCount === 0) return undefined;
      if (!enabled) {
        const { rows } = await client.query(FIND_ENABLED_OPERATOR);
        if (rows.length === 0) throw new Refusal('invalid_input', 'the last operator cannot be disabled');
        await client.query(END_SESSIONS_OF_USER, [userId]);
      }
      return [{ streamId, events }];
    });
  }

  async setServiceMails(userId: string, on: boolean): Promise<void> {
    await this.prisma.credential.updateMany({ where: { userId }, data: { serviceMails: on } });
  }

  async hasOperator(): Promise<boolean> {
    return (await this.prisma.credential.findFirst({ where: { operator: true }, select: { userId: true } })) !== null;
  }
}

const firstEventsOf = ({ userId, email, operator, workspace: first }: NewUser): readonly StreamEvents[] => {
  const at = new Date().toISOString();
  const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
  const joined = user.decide({ kind: 'join-workspace', workspaceId: first.id, at }, fold(user, registered));
  return [workspaceCreation(first, userId, at), { streamId: userStream(userId), events: [...registered, ...joined] }];
};

const streamsOf = (events: readonly StreamEvents[]): string[] => events.map(({ streamId }) => streamId);

const insertCredentials = async (
  client: pg.PoolClient,
  { userId, email, passwordHash, operator }: NewUser,
): Promise<void> => {
  const { rowCount } = await client.query(INSERT_CREDENTIALS, [userId, email, passwordHash, operator]);
  if (rowCount === 0) throw new Refusal('user_exists', 'email: a user with this email already exists');
};
