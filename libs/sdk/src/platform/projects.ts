import type {
  BulkResult,
  CreateProjectBody,
  Deletion,
  ListProjectSecretsReply,
  Project,
  SetProjectSecretBody,
  SetProjectSecretReply,
  SetProjectSecretsBody,
} from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Projects group web services and their secrets. */
export class Projects {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** All projects, oldest first. */
  list(options?: CallOptions): Promise<Project[]> {
    return this.#api.get('/projects', options);
  }

  create(project: CreateProjectBody, options?: CommandOptions): Promise<Project> {
    return this.#api.post('/projects', { body: project, ...options });
  }

  get(projectId: string, options?: CallOptions): Promise<Project> {
    return this.#api.get(pathOf`/projects/${projectId}`, options);
  }
}

/** Values that the web services of a project share, for each environment. */
export class ProjectSecrets {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The secrets by key; values are masked. */
  list(projectId: string, options?: CallOptions): Promise<ListProjectSecretsReply> {
    return this.#api.get(pathOf`/projects/${projectId}/secrets`, options);
  }

  /** Creates a secret in one scope, or updates its value. */
  set(projectId: string, secret: SetProjectSecretBody, options?: CommandOptions): Promise<SetProjectSecretReply> {
    return this.#api.post(pathOf`/projects/${projectId}/secrets`, { body: secret, ...options });
  }

  /** Creates or updates many secrets, all or none; others are kept. */
  setAll(projectId: string, secrets: SetProjectSecretsBody['secrets'], options?: CommandOptions): Promise<BulkResult> {
    return this.#api.put(pathOf`/projects/${projectId}/secrets/bulk`, { secrets }, options);
  }

  delete(projectId: string, secretId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/projects/${projectId}/secrets/${secretId}`, options);
  }
}
