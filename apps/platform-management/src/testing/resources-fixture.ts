import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import {
  admitPlatformCall,
  createPlatformKey,
  createProject,
  Refusal,
  type ReplyOf,
  type RequestInput,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, OPERATOR } from './accounts-fixture.js';
import type { Caller, WebServiceOf } from './caller.js';

type KeyOverrides = Partial<Pick<RequestInput<typeof createPlatformKey>, 'name' | 'expires_at'>>;

/** Two replicas, a user with keys, projects and web services, another user, and all log output. */
export class ResourcesFixture {
  private constructor(
    readonly fixture: AccountsFixture,
    readonly user: Caller,
    readonly stranger: Caller,
    /** Log lines of the first replica on every level, without redaction. */
    readonly lines: readonly string[],
  ) {}

  static async start(): Promise<ResourcesFixture> {
    const fixture = await AccountsFixture.start();
    const lines: string[] = [];
    const write = (fields: object, message: string): void => {
      lines.push(`${message} ${inspect(fields, { depth: 12, maxStringLength: null })}`);
    };
    const log = { debug: write, info: write, warn: write, error: write, plain: write };
    await fixture.addReplica(OPERATOR, { log, writeLine: line => lines.push(line), flush: () => undefined });
    await fixture.addReplica(OPERATOR);
    const newCaller = async () => {
      const { id, workspaces } = await fixture.newUser();
      return { user_id: id, workspace_id: String(workspaces[0]?.id) };
    };
    return new ResourcesFixture(fixture, await newCaller(), await newCaller(), lines);
  }

  readonly request: AccountsFixture['client']['request'] = (contract, request) =>
    this.fixture.client.request(contract, request);

  async newProject(name = 'Shop'): Promise<string> {
    return (await this.request(createProject, { ...this.user, name })).id;
  }

  /** Inserts a web service into the read model; creating it by request would need the load balancer for its URL. */
  async newService(projectId: string): Promise<WebServiceOf> {
    const id = uuidv7();
    await this.fixture.query('INSERT INTO web_service_standings (web_service_id, to_do) VALUES ($1, false)', [id]);
    await this.fixture.query(
      `INSERT INTO web_services (id, user_id, project_id, name, git_repository_url, port, min_instances, max_instances,
         environment, status, created_at)
       VALUES ($1, $2, $3, 'web', 'https://example.com/web.git', 3000, 1, 1, 'production', 'created', now())`,
      [id, this.user.user_id, projectId],
    );
    return { ...this.user, web_service_id: id };
  }

  newKey(scope: 'read' | 'write', overrides: KeyOverrides = {}): Promise<ReplyOf<typeof createPlatformKey>> {
    return this.request(createPlatformKey, { ...this.user, name: 'CI', scope, ...overrides });
  }

  call(key: string, required: 'read' | 'write' = 'read'): Promise<ReplyOf<typeof admitPlatformCall>> {
    const key_hash = createHash('sha256').update(key).digest('hex');
    return this.request(admitPlatformCall, { key_hash, required, role: required === 'read' ? 'viewer' : 'member' });
  }

  stop(): Promise<void> {
    return this.fixture.stop();
  }
}

/** Returns the refusal. @throws if the request succeeds or fails with another error. */
export const refusalOf = async (answer: Promise<unknown>): Promise<Refusal> => {
  const refusal = await answer.catch((error: unknown) => error);
  if (!(refusal instanceof Refusal)) throw new Error('it was not refused', { cause: refusal });
  return refusal;
};
