import { Refusal } from '@postern/contracts';
import { type EventMetadata, fold, type Position } from '@postern/event-sourcing';
import { appendAll, type PostgresEventStore } from '@postern/event-sourcing/postgres';
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

  private get pool() {
    return this.options.store.pool;
  }

  async register({ userId, email, passwordHash, operator, workspace: { id, name } }: NewUser): Promise<void> {
    const { store, metadata, waitUntil } = this.options;
    const at = new Date().toISOString();
    const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
    const joined = user.decide({ kind: 'join-workspace', workspaceId: id, at }, fold(user, registered));
    const created = workspace.decide(
      { kind: 'create', workspaceId: id, name, createdBy: userId, at },
      workspace.initial,
    );
    const from = { expectedVersion: 'none', metadata: metadata() } as const;
    const client = await this.pool.connect();
    let position: Position | undefined;
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO credentials (user_id, email, password_hash, operator) VALUES ($1, $2, $3, $4)', [
        userId,
        email,
        passwordHash,
        operator,
      ]);
      const results = await appendAll(client, [
        { ...from, streamId: workspaceStream(id), events: created },
        { ...from, streamId: userStream(userId), events: [...registered, ...joined] },
      ]);
      for (const result of results) {
        if (result instanceof Error) throw result;
        position = result.position;
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      if ((error as { code?: string }).code === UNIQUE_VIOLATION)
        throw new Refusal('user_exists', `email: there is a user ${email} already`);
      throw error;
    } finally {
      client.release();
    }
    store.announce();
    await waitUntil(position);
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
    await this.pool.query('UPDATE credentials SET password_hash = $2 WHERE user_id = $1', [userId, passwordHash]);
    const at = new Date().toISOString();
    const history = await this.options.store.readStream(userStream(userId));
    const events = user.decide({ kind: 'change-password', at }, fold(user, history));
    await this.options.store.append(userStream(userId), events, {
      expectedVersion: 'any',
      metadata: this.options.metadata(),
    });
  }

  async hasOperator(): Promise<boolean> {
    const { rows } = await this.pool.query('SELECT 1 FROM credentials WHERE operator LIMIT 1');
    return rows.length > 0;
  }
}
