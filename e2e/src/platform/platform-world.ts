import type { RunningPostern, StartOptions } from '@postern/local-start';
import { waitFor } from '@postern/testing';
import type { PosternAccess } from '../shared-postern.js';
import { type ApiAnswer, World } from '../world.js';
import { type Files, Repository } from './repository.js';

export interface Deployment {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly rollback_of: string | null;
}

export interface LogLine {
  readonly timestamp: string;
  readonly instance: string;
  readonly stream: string;
  readonly message: string;
}

const OVER = ['live', 'failed', 'cancelled', 'superseded', 'rolled_back'];
const OVER_WITHIN_MS = 60_000;

/** Calls the platform API with one key. */
export class Caller {
  constructor(
    readonly world: World<PosternAccess>,
    readonly key: string,
  ) {}

  call(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    return this.world.call(method, `/api/v1${path}`, { headers: { authorization: `Bearer ${this.key}` }, body });
  }

  get = (path: string) => this.call('GET', path);
  post = (path: string, body: unknown = {}) => this.call('POST', path, body);
  put = (path: string, body: unknown) => this.call('PUT', path, body);
  delete = (path: string) => this.call('DELETE', path);
}

/** A web service of the test, with its repository. */
export class Service {
  constructor(
    readonly caller: Caller,
    readonly id: string,
    readonly projectId: string,
    readonly repository: Repository,
  ) {}

  get path(): string {
    return `/web-services/${this.id}`;
  }

  async read(): Promise<Record<string, unknown>> {
    return (await this.caller.get(this.path)).body;
  }

  async requestDeployment(branch?: string): Promise<Deployment> {
    const { status, body } = await this.caller.post(`${this.path}/deployments`, branch === undefined ? {} : { branch });
    if (status !== 202) throw new Error(`the deployment was answered with ${status}: ${JSON.stringify(body)}`);
    return body as unknown as Deployment;
  }

  async deployment(id: string): Promise<Deployment> {
    return (await this.caller.get(`${this.path}/deployments/${id}`)).body as unknown as Deployment;
  }

  /** Waits for the end of a deployment: live, or one of the failure states. */
  outcomeOf(id: string): Promise<Deployment> {
    return waitFor(
      async () => {
        const deployment = await this.deployment(id);
        return OVER.includes(deployment.status) ? deployment : undefined;
      },
      { timeoutMs: OVER_WITHIN_MS, intervalMs: 100, describe: `the end of deployment ${id}` },
    );
  }

  /** Deploys the present content of the repository. @throws if it does not go live. */
  async deploy(branch?: string): Promise<Deployment> {
    const { id } = await this.requestDeployment(branch);
    const deployment = await this.outcomeOf(id);
    if (deployment.status !== 'live') throw new Error(`the deployment is ${deployment.status}: ${deployment.error}`);
    return deployment;
  }

  /** Deploys a version that must fail. @returns the error of the deployment. */
  async failure(): Promise<string | null> {
    const { id } = await this.requestDeployment();
    const { status, error } = await this.outcomeOf(id);
    if (status !== 'failed') throw new Error(`the deployment is ${status}`);
    return error;
  }

  async url(): Promise<string> {
    return String((await this.read())['url']);
  }

  /** The response of the service itself to a GET. */
  async get(path = '/'): Promise<string> {
    const response = await fetch((await this.url()) + path, { signal: AbortSignal.timeout(10_000) });
    return `${response.status} ${await response.text()}`;
  }

  async untilStatus(status: string): Promise<Record<string, unknown>> {
    return waitFor(
      async () => {
        const service = await this.read();
        return service['status'] === status ? service : undefined;
      },
      { timeoutMs: OVER_WITHIN_MS, intervalMs: 50, describe: `web service ${this.id} to be ${status}` },
    );
  }

  async logs(query = ''): Promise<readonly LogLine[]> {
    return (await this.caller.get(`${this.path}/logs${query}`)).body['lines'] as readonly LogLine[];
  }

  /** All messages of its log. */
  async wholeLog(): Promise<string> {
    return (await this.logs('?tail=10000')).map(({ message }) => message).join('\n');
  }

  /** Waits for the first matching log line. */
  line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    return waitFor(async () => (await this.logs('?tail=1000')).find(fits), {
      timeoutMs: 15_000,
      intervalMs: 100,
      describe: 'a line of the log',
    });
  }
}

/** A world with keys of the platform API, without rate limits unless the test is about them. */
export class PlatformWorld<Postern extends PosternAccess = RunningPostern> {
  private readonly repositories: Repository[] = [];

  private constructor(
    readonly world: World<Postern>,
    readonly writer: Caller,
    readonly reader: Caller,
  ) {}

  static async start(
    options: Partial<StartOptions> & { readonly callsPerMinute?: number } = {},
  ): Promise<PlatformWorld> {
    const { callsPerMinute = 0, environment, ...rest } = options;
    const world = await World.start({
      ...rest,
      environment: {
        ...environment,
        'platform-management': {
          POSTERN_PLATFORM_CALLS_PER_MINUTE: String(callsPerMinute),
          ...environment?.['platform-management'],
        },
      },
    });
    return PlatformWorld.on(world);
  }

  /** Uses the Postern shared by test files that only use the public API. */
  static async shared(): Promise<PlatformWorld<PosternAccess>> {
    return PlatformWorld.on(await World.shared());
  }

  private static async on<P extends PosternAccess>(world: World<P>): Promise<PlatformWorld<P>> {
    return new PlatformWorld(world, await callerWith(world, 'write'), await callerWith(world, 'read'));
  }

  async stop(): Promise<void> {
    await this.world.stop();
    for (const repository of this.repositories) repository.remove();
  }

  newKey(scope: 'read' | 'write', more: Record<string, unknown> = {}): Promise<Caller> {
    return callerWith(this.world, scope, more);
  }

  repository(files: Files): Repository {
    const repository = Repository.create(files);
    this.repositories.push(repository);
    return repository;
  }

  async project(name = 'Story'): Promise<string> {
    const { status, body } = await this.writer.post('/projects', { name });
    if (status !== 201) throw new Error(`the project was answered with ${status}: ${JSON.stringify(body)}`);
    return String(body['id']);
  }

  /** A web service, not deployed yet, of a repository with these files. */
  async service(files: Files, settings: Record<string, unknown> = {}): Promise<Service> {
    const repository = this.repository(files);
    const projectId = await this.project();
    const { status, body } = await this.writer.post('/web-services', {
      name: 'story',
      project_id: projectId,
      git_repository_url: repository.url,
      port: 3000,
      ...settings,
    });
    if (status !== 201) throw new Error(`the web service was answered with ${status}: ${JSON.stringify(body)}`);
    return new Service(this.writer, String(body['id']), projectId, repository);
  }
}

const callerWith = async (
  world: World<PosternAccess>,
  scope: 'read' | 'write',
  more: Record<string, unknown> = {},
): Promise<Caller> => {
  const { body } = await world.callDashboardApi('POST', '/platform-keys', { name: `story, ${scope}`, scope, ...more });
  return new Caller(world, String(body['key']));
};
