import type { GetDatabaseReply, ListDatabasesReply, PlatformKey } from '../api-types.js';
import type { CallOptions, HttpClient } from '../http-client.js';
import { PlatformCaller, pathOf } from './caller.js';
import { Deployments } from './deployments.js';
import { Environment } from './environment.js';
import { Logs, Metrics } from './logs.js';
import { ProjectSecrets, Projects } from './projects.js';
import { WebServices } from './web-services.js';

/** Relational databases and key-value stores; read-only. */
export class Databases {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** One page of databases, oldest first. */
  list({ limit, offset, signal }: CallOptions & { limit?: number; offset?: number } = {}): Promise<ListDatabasesReply> {
    return this.#api.get('/databases', { query: { limit, offset }, signal });
  }

  /** A database with its current usage. */
  get(databaseId: string, options?: CallOptions): Promise<GetDatabaseReply> {
    return this.#api.get(pathOf`/databases/${databaseId}`, options);
  }
}

/** The platform API: deploys and manages web services. */
export class Platform {
  readonly projects: Projects;
  readonly secrets: ProjectSecrets;
  readonly webServices: WebServices;
  readonly deployments: Deployments;
  readonly environment: Environment;
  readonly logs: Logs;
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
    this.logs = new Logs(api);
    this.metrics = new Metrics(api);
    this.databases = new Databases(api);
  }

  /** What the calling key may do; never returns the key itself. */
  ownKey(options?: CallOptions): Promise<PlatformKey> {
    return this.#api.get('/users/me/api-key', options);
  }
}
