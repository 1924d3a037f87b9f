import {
  createDeployHook,
  createProject,
  createWebService,
  listDeployments,
  listWebServices,
  type ReplyOf,
  type RequestInput,
  receiveDeployHook,
} from '@postern/contracts';
import { githubCall, githubPullRequest, type RequestFacts } from './pull-request-events.js';
import { ResourcesFixture } from './resources-fixture.js';

type WebService = ReplyOf<typeof createWebService>;

/** A web service with previews, and its deploy hook. */
export interface PreviewedService {
  readonly service: WebService;
  readonly caller: { readonly user_id: string; readonly workspace_id: string; readonly web_service_id: string };
  readonly secret: string;
  readonly token: string;
}

type Call = Omit<RequestInput<typeof receiveDeployHook>, 'token'>;

/** Web services with deploy hooks, and the events of their Git hosts. */
export class PreviewsFixture {
  #seconds = 0;

  private constructor(readonly resources: ResourcesFixture) {}

  static async start(): Promise<PreviewsFixture> {
    return new PreviewsFixture(await ResourcesFixture.start());
  }

  stop(): Promise<void> {
    return this.resources.stop();
  }

  async newService(
    overrides: Partial<RequestInput<typeof createWebService>> = {},
    user = this.resources.user,
  ): Promise<PreviewedService> {
    const project = await this.resources.request(createProject, { ...user, name: 'Shop' });
    const service = await this.resources.request(createWebService, {
      ...user,
      name: 'web',
      project_id: project.id,
      git_repository_url: 'https://git.example.com/web.git',
      port: 3000,
      branch: 'main',
      previews: true,
      ...overrides,
    });
    const caller = { ...user, web_service_id: service.id };
    const { url, secret } = await this.resources.request(createDeployHook, caller);
    return { service, caller, secret, token: url.split('/').at(-1)! };
  }

  /** A time after that of all earlier events. */
  now(): string {
    return new Date(Date.UTC(2030, 0, 1) + ++this.#seconds * 1_000).toISOString();
  }

  receive({ token }: Pick<PreviewedService, 'token'>, call: Call): Promise<ReplyOf<typeof receiveDeployHook>> {
    return this.resources.request(receiveDeployHook, { token, ...call });
  }

  /** Delivers an event of GitHub. */
  github(
    hook: Pick<PreviewedService, 'token' | 'secret'>,
    action: string,
    facts: RequestFacts = {},
  ): Promise<ReplyOf<typeof receiveDeployHook>> {
    const payload = githubPullRequest(action, { updatedAt: this.now(), ...facts });
    return this.receive(hook, githubCall('pull_request', payload, hook.secret));
  }

  async previewsOf({ service }: PreviewedService): Promise<readonly WebService[]> {
    const all = await this.resources.request(listWebServices, this.resources.user);
    return all.filter(({ preview_of }) => preview_of === service.id);
  }

  async deploymentsOf(web_service_id: string) {
    return (await this.resources.request(listDeployments, { ...this.resources.user, web_service_id })).items;
  }
}
