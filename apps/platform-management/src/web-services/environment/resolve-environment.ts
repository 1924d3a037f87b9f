import { Injectable } from '@nestjs/common';
import { MASKED_VALUE, type ReplyOf, type RequestOf, resolveEnvironment } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { liveDeployment, releaseSettings, type WebService } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { PlatformVariables } from './platform-variables.js';
import { type Configuration, ConfigurationNotFound, ReleaseConfigurations, type ValueSource } from './ports.js';

type Reply = ReplyOf<typeof resolveEnvironment>;

/** Where isolated instances find their disk. */
const DISK_PATH = '/data';

/** Resolves the variables that a start of a web service would use, and compares them with those of the running instances. */
@Injectable()
export class ResolveEnvironment {
  constructor(
    private readonly webServices: WebServices,
    private readonly repository: WebServiceRepository,
    private readonly configurations: ReleaseConfigurations,
    private readonly platformVariables: PlatformVariables,
  ) {}

  @Handles(resolveEnvironment)
  async of(request: RequestOf<typeof resolveEnvironment>): Promise<Reply> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const state = await this.repository.stateOf(web_service_id);
    const next = await this.#next(state);
    const running = await this.#running(state);
    const { port, disk } = releaseSettings(state, liveDeployment(state));
    const rows = [
      ...Object.entries(next.environment).map(([key, value]) => ({
        key,
        value,
        isSecret: next.secrets.includes(value),
        origin: originOf(next.sources?.[key]),
        isRunning: running && running.environment[key] === value,
      })),
      ...ofRuntime('PORT', String(port), running && state.serving?.settings.port === port),
      ...(disk ? ofRuntime('DISK_PATH', DISK_PATH, running && Boolean(state.serving?.settings.disk)) : []),
    ];
    return [...new Map(rows.map(row => [row.key, row])).values()]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, value, isSecret, origin, isRunning }) => ({
        key,
        value: isSecret ? MASKED_VALUE : value,
        is_secret: isSecret,
        origin,
        running: isRunning ?? null,
      }));
  }

  /** With the variables of the deployment that a start would run, if there is one. */
  async #next(state: WebService): Promise<Configuration> {
    const current = await this.configurations.current(state.id!, state.projectId!, state.settings!.environment);
    const live = liveDeployment(state);
    if (!live?.commit) return current;
    return this.platformVariables.addTo(current, state, { deploymentId: live.id, commit: live.commit });
  }

  async #running({ serving }: WebService): Promise<Configuration | undefined> {
    if (!serving) return undefined;
    try {
      return await this.configurations.open(serving.configurationId);
    } catch (error) {
      if (error instanceof ConfigurationNotFound) return undefined;
      throw error;
    }
  }
}

const ORIGINS = { attachment: 'database', 'project-secret': 'project_secret', platform: 'platform' } as const;

const originOf = (source: ValueSource | undefined): Reply[number]['origin'] =>
  source === undefined ? 'variable' : ORIGINS[source];

const ofRuntime = (key: string, value: string, isRunning: boolean | undefined) => [
  { key, value, isSecret: false, origin: 'platform' as const, isRunning },
];
