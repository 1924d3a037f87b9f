import { Refusal } from '@postern/contracts';
import { type Append, BEGINNING, type EventMetadata, fold, type Position } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { Credentials, NewUser, UserRegistry } from './ports.js';
import { type User, user, userStream } from './user.js';
import { workspace, workspaceStream } from './workspace.js';

/** No stream: whoever makes the first operator holds this name meanwhile. */
const FIRST_OPERATOR = 'first-operator';

type StreamEvents = Pick<Append, 'streamId' | 'events'>;

export interface UserRegistryOptions {
  readonly store: PostgresEventStore;
  readonly waitUntil: (position: Position | undefined) => Promise<void>;
  readonly metadata: () => EventMetadata;
}

/** Credentials lie beside the events, in the same transaction and never in them: a hash has to be forgettable. */
export class PostgresUserRegistry implements UserRegistry {
  constructor(private readonly options: UserRegistryOptions) {}

  private get pool(): pg.Pool {
    return this.options.store.pool;
  }

  async register(newUser: NewUser): Promise<void> {
    const events = firstEventsOf(newUser);
    await this.together(streamsOf(events), async client => {
      await insertCredentials(client, newUser);
      return events;
    });
  }

  registerFirstOperator(newUser: NewUser): Promise<boolean> {
    const events = firstEventsOf(newUser);
    return this.together([FIRST_OPERATOR, ...streamsOf(events)], async client => {
      if (await existsOperator(client)) return undefined;
      await insertCredentials(client, newUser);
      return events;
    });
  }

  async createWorkspace(userId: string, { id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    const at = new Date().toISOString();
    const known = await this.stateOf(userId);
    const events = [
      { streamId: userStream(userId), events: user.decide({ kind: 'join-workspace', workspaceId: id, at }, known) },
      createdWorkspace(id, name, userId, at),
    ];
    await this.together(streamsOf(events), async () => events);
  }

  async credentialsOf(email: string): Promise<Credentials | undefined> {
    const { rows } = await this.pool.query<{ user_id: string; password_hash: string }>(
      'SELECT user_id, password_hash FROM credentials WHERE email = $1',
      [email],
    );
    return rows[0] && { userId: rows[0].user_id, passwordHash: rows[0].password_hash };
  }

  async passwordHashOf(userId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ password_hash: string }>(
      'SELECT password_hash FROM credentials WHERE user_id = $1',
      [userId],
    );
    return rows[0]?.password_hash;
  }

  async replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean> {
    const streamId = userStream(userId);
    const known = await this.stateOf(userId);
    const events = user.decide({ kind: 'change-password', at: new Date().toISOString() }, known);
    return this.together([streamId], async client => {
      const { rowCount } = await client.query(
        'UPDATE credentials SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2',
        [userId, verified, passwordHash],
      );
      if (rowCount === 0) return undefined;
      await client.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
      return [{ streamId, events }];
    });
  }

  hasOperator(): Promise<boolean> {
    return existsOperator(this.pool);
  }

  /**
   * Read before the transaction, which must not wait for a second connection of the pool while it holds one. What is
   * decided on it stays true: users do not go away, and nobody else knows the id of a new workspace.
   */
  private async stateOf(userId: string): Promise<User> {
    return fold(user, await this.options.store.readStream(userStream(userId)));
  }

  /**
   * Rows and events in one transaction that holds the streams; returns once the read models show it.
   * @returns false when `work` found nothing to do.
   */
  private async together(
    streams: readonly string[],
    work: (client: pg.PoolClient) => Promise<readonly StreamEvents[] | undefined>,
  ): Promise<boolean> {
    const metadata = this.options.metadata();
    const position = await inTransaction(this.pool, async client => {
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
    this.options.store.announce();
    await this.options.waitUntil(position);
    return true;
  }
}

const createdWorkspace = (workspaceId: string, name: string, createdBy: string, at: string): StreamEvents => ({
  streamId: workspaceStream(workspaceId),
  events: workspace.decide({ kind: 'create', workspaceId, name, createdBy, at }, workspace.initial),
});

const firstEventsOf = ({ userId, email, operator, workspace: { id, name } }: NewUser): readonly StreamEvents[] => {
  const at = new Date().toISOString();
  const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
  const joined = user.decide({ kind: 'join-workspace', workspaceId: id, at }, fold(user, registered));
  return [createdWorkspace(id, name, userId, at), { streamId: userStream(userId), events: [...registered, ...joined] }];
};

const streamsOf = (events: readonly StreamEvents[]): string[] => events.map(({ streamId }) => streamId);

const existsOperator = async (db: Pick<pg.ClientBase, 'query'>): Promise<boolean> =>
  (await db.query('SELECT 1 FROM credentials WHERE operator LIMIT 1')).rows.length > 0;

const insertCredentials = async (
  client: pg.PoolClient,
  { userId, email, passwordHash, operator }: NewUser,
): Promise<void> => {
  const { rowCount } = await client.query(
    `INSERT INTO credentials (user_id, email, password_hash, operator) VALUES ($1, $2, $3, $4)
     ON CONFLICT (email) DO NOTHING`,
    [userId, email, passwordHash, operator],
  );
  if (rowCount === 0) throw new Refusal('user_exists', `email: there is a user ${email} already`);
};
