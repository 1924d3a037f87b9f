import type { PlatformKey } from '../api-types.js';
import type { CallOptions, HttpClient } from '../http-client.js';
import { PlatformCaller } from './caller.js';
import { CronJobs } from './cron-jobs.js';
import { CustomDomains } from './custom-domains.js';
import { Databases } from './databases.js';
import { Deployments } from './deployments.js';
import { Environment, SecretFiles } from './environment.js';
import { LogDrains } from './log-drains.js';
import { Logs, Metrics } from './logs.js';
import { ProjectSecrets, Projects } from './projects.js';
import { Runs } from './runs.js';
import { WebServices } from './web-services.js';

/** The platform API: deploys and manages web services. */
export class Platform {
  readonly projects: Projects;
  readonly secrets: ProjectSecrets;
  readonly webServices: WebServices;
  readonly deployments: Deployments;
  readonly environment: Environment;
  readonly secretFiles: SecretFiles;
  readonly runs: Runs;
  readonly cronJobs: CronJobs;
  readonly domains: CustomDomains;
  readonly logs: Logs;
  readonly logDrains: LogDrains;
  readonly metrics: Metrics;
  readonly databases: Databases;
  readonly #api: PlatformCaller;

  constructor(client: HttpClient, credentials: () => Record<string, string>) {
    const api = new PlatformCaller(client, credentials);
    this.#api = api;
    this.projects = new Projects(api);
    this.secrets = new ProjectSecrets(api);
    this.webServices = new WebServices(api);
    this.deployments = new Deployments(api);
    this.environment = new Environment(api);
    this.secretFiles = new SecretFiles(api);
    this.runs = new Runs(api);
    this.cronJobs = new CronJobs(api);
    this.domains = new CustomDomains(api);
    this.logs = new Logs(api);
    this.logDrains = new LogDrains(api);
    this.metrics = new Metrics(api);
    this.databases = new Databases(api);
  }

  /** What the calling key may do; never returns the key itself. */
  ownKey(options?: CallOptions): Promise<PlatformKey> {
    return this.#api.get('/users/me/api-key', options);
  }
}
