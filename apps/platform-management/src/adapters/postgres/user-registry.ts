import { Refusal } from '@postern/contracts';
import { type Append, type EventMetadata, fold, type Position } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { user, userStream } from '../../domain/user.js';
import { workspace, workspaceStream } from '../../domain/workspace.js';
import type { Credentials, NewUser, UserRegistry } from '../../ports.js';

const UNIQUE_VIOLATION = '23505';

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

  async register({ userId, email, passwordHash, operator, workspace: { id, name } }: NewUser): Promise<void> {
    const at = new Date().toISOString();
    const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
    const joined = user.decide({ kind: 'join-workspace', workspaceId: id, at }, fold(user, registered));
    const created = workspace.decide(
      { kind: 'create', workspaceId: id, name, createdBy: userId, at },
      workspace.initial,
    );
    await this.together([userStream(userId), workspaceStream(id)], async client => {
      await client
        .query('INSERT INTO credentials (user_id, email, password_hash, operator) VALUES ($1, $2, $3, $4)', [
          userId,
          email,
          passwordHash,
          operator,
        ])
        .catch((error: { code?: string }) => {
          if (error.code !== UNIQUE_VIOLATION) throw error;
          throw new Refusal('user_exists', `email: there is a user ${email} already`);
        });
      return [
        { streamId: workspaceStream(id), events: created },
        { streamId: userStream(userId), events: [...registered, ...joined] },
      ];
    });
  }

  async createWorkspace(userId: string, { id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    const at = new Date().toISOString();
    await this.together([userStream(userId), workspaceStream(id)], async () => {
      const known = fold(user, await this.options.store.readStream(userStream(userId)));
      return [
        { streamId: userStream(userId), events: user.decide({ kind: 'join-workspace', workspaceId: id, at }, known) },
        {
          streamId: workspaceStream(id),
          events: workspace.decide({ kind: 'create', workspaceId: id, name, createdBy: userId, at }, workspace.initial),
        },
      ];
    });
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

  async replacePassword(userId: string, passwordHash: string): Promise<void> {
    const at = new Date().toISOString();
    await this.together([userStream(userId)], async client => {
      const known = fold(user, await this.options.store.readStream(userStream(userId)));
      const events = user.decide({ kind: 'change-password', at }, known);
      await client.query('UPDATE credentials SET password_hash = $2 WHERE user_id = $1', [userId, passwordHash]);
      return [{ streamId: userStream(userId), events }];
    });
  }

  async hasOperator(): Promise<boolean> {
    const { rows } = await this.pool.query('SELECT 1 FROM credentials WHERE operator LIMIT 1');
    return rows.length > 0;
  }

  /** Rows and events in one transaction that holds the streams; returns once the read models show it. */
  private async together(
    streams: readonly string[],
    work: (client: pg.PoolClient) => Promise<readonly Pick<Append, 'streamId' | 'events'>[]>,
  ): Promise<void> {
    const metadata = this.options.metadata();
    const position = await inTransaction(this.pool, async client => {
      await lockStreams(client, streams);
      const appends = await work(client);
      const results = await appendAll(
        client,
        appends.map(append => ({ ...append, expectedVersion: 'any', metadata })),
      );
      const failed = results.find(result => result instanceof Error);
      if (failed) throw failed;
      return results.map(result => (result instanceof Error ? undefined : result.position)).at(-1);
    });
    this.options.store.announce();
    await this.options.waitUntil(position);
  }
}
