import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addMember,
  authenticateSession,
  createSession,
  createUser,
  joinWorkspace,
  type ReplyOf,
  type RequestInput,
  type WorkspaceRole,
} from '@postern/contracts';
import { connectNats, RequestClient } from '@postern/messaging';
import { type RunningService, startService, Tasks } from '@postern/service-host';
import { startNats, startPostgres } from '@postern/testing';
import pg from 'pg';
import { config } from '../config.js';
import { PlatformManagementModule } from '../platform-management.module.js';
import { migratedDatabase, migrations } from './migrated-database.js';

export interface Operator {
  readonly email: string;
  readonly password: string;
}

export const OPERATOR: Operator = { email: 'Owner@Example.com', password: 'a long enough password' };

/** Hashes a session token as the service stores it. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Resolves to the code of the refusal, or to `undefined` if the request succeeds. */
export const codeOf = (answer: Promise<unknown>): Promise<string | undefined> =>
  answer.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );

export type User = ReplyOf<typeof createUser> & { readonly password: string };

/** Replicas of the service on a real PostgreSQL and NATS, with a client. */
export class AccountsFixture {
  readonly replicas: RunningService[] = [];
  #users = 0;

  private constructor(
    readonly client: RequestClient,
    readonly pool: pg.Pool,
    readonly databaseUrl: string,
    readonly environment: Readonly<Record<string, string>>,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** Starts one replica for each configured operator, all concurrently on an empty database. */
  static async start(...operators: readonly Operator[]): Promise<AccountsFixture> {
    const [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
    const databaseUrl = await migratedDatabase(postgres);
    const home = mkdtempSync(join(tmpdir(), 'postern-platform-'));
    const environment = {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_LOG_LEVEL: 'silent',
      POSTERN_ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
      POSTERN_PLATFORM_HOME: home,
      // Tests run Git hosts on this machine.
      POSTERN_GIT_ALLOW_PRIVATE: 'true',
      // Tests run no balancer.
      POSTERN_PLATFORM_BALANCER_PATIENCE_MS: '0',
    };
    const link = await connectNats({ servers: nats.url, name: 'test' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    const fixture = new AccountsFixture(client, pool, databaseUrl, environment, async () => {
      client.close();
      await link.close();
      await pool.end();
      await nats.stop();
      await postgres.stop();
      rmSync(home, { recursive: true, force: true });
    });
    await Promise.all(operators.map(operator => fixture.addReplica(operator)));
    return fixture;
  }

  async addReplica(
    { email, password }: Operator,
    output?: Parameters<typeof startService>[2],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<RunningService> {
    const database = migrations;
    const replica = await startService(
      { name: 'platform-management', config, module: PlatformManagementModule, database },
      { ...this.environment, ...environment, POSTERN_OPERATOR_EMAIL: email, POSTERN_OPERATOR_PASSWORD: password },
      output,
    );
    // Tests run the work of timers directly.
    await replica.app.get(Tasks, { strict: false }).stop();
    this.replicas.push(replica);
    return replica;
  }

  logIn(
    email: string,
    password: string,
    ip = '192.0.2.1',
    device_token?: string,
  ): Promise<ReplyOf<typeof createSession>> {
    return this.client.request(createSession, { email, password, ip, ...(device_token ? { device_token } : {}) });
  }

  whoIs(token: string): Promise<ReplyOf<typeof authenticateSession>> {
    return this.client.request(authenticateSession, { token_hash: hashOf(token) });
  }

  async operatorId(): Promise<string> {
    const { token } = await this.logIn(OPERATOR.email, OPERATOR.password);
    return (await this.whoIs(token)).user_id;
  }

  async newUser(overrides: Partial<RequestInput<typeof createUser>> = {}): Promise<User> {
    const password = 'another long password';
    const email = `user-${++this.#users}@example.com`;
    const request = { actor_id: await this.operatorId(), email, password, ...overrides };
    return { ...(await this.client.request(createUser, request)), password: request.password };
  }

  /** Invites a user to a workspace, who accepts. */
  async makeMember(
    workspace: { readonly id: string; readonly ownerId: string },
    user: { readonly id: string; readonly email: string },
    role: WorkspaceRole,
  ): Promise<void> {
    const invitation = { actor_id: workspace.ownerId, id: workspace.id, email: user.email, role };
    const { id } = await this.client.request(addMember, invitation);
    await this.client.request(joinWorkspace, { user_id: user.id, id });
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(text, [...values])).rows as Row[];
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(replica => replica.stop()));
    await this.cleanUp();
  }
}
