import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { type Append, BEGINNING, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { EventSourcing, type WriteOptions } from '@postern/service-host';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { accounts } from './accounts.projection.js';
import {
  END_SESSIONS_OF_USER,
  FIND_OPERATOR,
  INSERT_CREDENTIALS,
  REPLACE_PASSWORD,
  USER_EVENTS,
} from './accounts.sql.js';
import type { Credentials, NewUser, UserRepository } from './ports.js';
import { type User, type UserEvent, user, userStream } from './user.js';
import { workspace, workspaceStream } from './workspace.js';

/** The name of a lock, not of a stream: only one process creates the first operator. */
const FIRST_OPERATOR = 'first-operator';

type StreamEvents = Pick<Append, 'streamId' | 'events'>;

/** Writes credentials and events in one transaction. Hashes are not in events, so that they can be deleted. */
@Injectable()
export class PostgresUserRepository implements UserRepository {
  readonly #writes: WriteOptions;

  constructor(
    eventSourcing: EventSourcing,
    private readonly prisma: PrismaClient,
  ) {
    this.#writes = eventSourcing.writeOptions(accounts);
  }

  async register(newUser: NewUser): Promise<void> {
    const events = firstEventsOf(newUser);
    await this.#inTransaction(streamsOf(events), async client => {
      await insertCredentials(client, newUser);
      return events;
    });
  }

  registerFirstOperator(newUser: NewUser): Promise<boolean> {
    const events = firstEventsOf(newUser);
    return this.#inTransaction([FIRST_OPERATOR, ...streamsOf(events)], async client => {
      const { rows } = await client.query(FIND_OPERATOR);
      if (rows.length > 0) return undefined;
      await insertCredentials(client, newUser);
      return events;
    });
  }

  async createWorkspace(userId: string, { id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    const at = new Date().toISOString();
    const streamId = userStream(userId);
    const creation = workspaceCreation(id, name, userId, at);
    await this.#inTransaction([streamId, creation.streamId], async client => {
      const { rows } = await client.query<UserEvent>(USER_EVENTS, [streamId]);
      const events = user.decide({ kind: 'create-workspace', workspaceId: id, at }, fold(user, rows));
      return [{ streamId, events }, creation];
    });
  }

  async credentialsOf(email: string): Promise<Credentials | undefined> {
    const select = { userId: true, passwordHash: true };
    return (await this.prisma.credential.findUnique({ where: { email }, select })) ?? undefined;
  }

  async passwordHashOf(userId: string): Promise<string | undefined> {
    return (await this.prisma.credential.findUnique({ where: { userId } }))?.passwordHash;
  }

  async replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean> {
    const streamId = userStream(userId);
    const state = await this.#stateOf(userId);
    const events = user.decide({ kind: 'change-password', at: new Date().toISOString() }, state);
    return this.#inTransaction([streamId], async client => {
      const { rowCount } = await client.query(REPLACE_PASSWORD, [userId, verified, passwordHash]);
      if (rowCount === 0) return undefined;
      await client.query(END_SESSIONS_OF_USER, [userId]);
      return [{ streamId, events }];
    });
  }

  async hasOperator(): Promise<boolean> {
    return (await this.prisma.credential.findFirst({ where: { operator: true }, select: { userId: true } })) !== null;
  }

  /**
   * Reads before the transaction, which must not wait for a second connection. Decisions stay valid, because users are
   * never deleted.
   */
  async #stateOf(userId: string): Promise<User> {
    return fold(user, await this.#writes.store.readStream(userStream(userId)));
  }

  /**
   * Runs `work` in a transaction that locks the streams, appends the events it returns, and waits for the read model.
   * @returns false when `work` returned nothing to append.
   */
  async #inTransaction(
    streams: readonly string[],
    work: (client: pg.PoolClient) => Promise<readonly StreamEvents[] | undefined>,
  ): Promise<boolean> {
    const { store, waitUntil } = this.#writes;
    const metadata = this.#writes.metadata();
    const position = await inTransaction(store.pool, async client => {
      await lockStreams(client, streams);
      const appends = await work(client);
      if (!appends) return undefined;
      const results = await appendAll(
        client,
        appends.map(append => ({ ...append, expectedVersion: 'any', metadata })),
      );
      return results.reduce((_, result) => {
        if (result instanceof Error) throw result;
        return result.position;
      }, BEGINNING);
    });
    if (!position) return false;
    store.announce();
    await waitUntil(position);
    return true;
  }
}

const workspaceCreation = (workspaceId: string, name: string, createdBy: string, at: string): StreamEvents => ({
  streamId: workspaceStream(workspaceId),
  events: workspace.decide({ kind: 'create', workspaceId, name, createdBy, at }, workspace.initial),
});

const firstEventsOf = ({ userId, email, operator, workspace: { id, name } }: NewUser): readonly StreamEvents[] => {
  const at = new Date().toISOString();
  const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
  const joined = user.decide({ kind: 'join-workspace', workspaceId: id, at }, fold(user, registered));
  return [
    workspaceCreation(id, name, userId, at),
    { streamId: userStream(userId), events: [...registered, ...joined] },
  ];
};

const streamsOf = (events: readonly StreamEvents[]): string[] => events.map(({ streamId }) => streamId);

const insertCredentials = async (
  client: pg.PoolClient,
  { userId, email, passwordHash, operator }: NewUser,
): Promise<void> => {
  const { rowCount } = await client.query(INSERT_CREDENTIALS, [userId, email, passwordHash, operator]);
  if (rowCount === 0) throw new Refusal('user_exists', `email: there is a user ${email} already`);
};
