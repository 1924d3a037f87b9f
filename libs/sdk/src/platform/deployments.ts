import type { CreateDeploymentBody, Deployment, GetDeploymentLogsReply, ListDeploymentsReply } from '../api-types.js';
import { PosternError } from '../errors.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { pause } from '../pause.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** A deployment ended without becoming live; its `error` says why. */
export class DeploymentFailedError extends PosternError {
  override readonly name = 'DeploymentFailedError';

  constructor(readonly deployment: Deployment) {
    const ended = deployment.status === 'failed' ? 'Deployment failed' : `The deployment ended as ${deployment.status}`;
    super(`${ended}${deployment.error ? `: ${deployment.error}` : '.'}`);
  }
}

/** A deployment was not live within the time limit; it may become live later. */
export class DeploymentTimeoutError extends PosternError {
  override readonly name = 'DeploymentTimeoutError';

  constructor(
    readonly deployment: Deployment,
    timeoutMs: number,
  ) {
    super(`The deployment is still ${deployment.status} after ${timeoutMs} ms.`);
  }
}

export interface WaitOptions extends CallOptions {
  /** 15 minutes by default. */
  readonly timeoutMs?: number;
  /** Milliseconds between two calls; 3,000 by default, because a key may make 30 calls in a minute. */
  readonly pollMs?: number;
  /** Gets the deployment whenever its status has changed. */
  readonly onChange?: (deployment: Deployment) => void;
}

/** An archive may take minutes over a slow connection. */
const UPLOAD_MS = 10 * 60_000;

const IN_PROGRESS: ReadonlySet<Deployment['status']> = new Set(['queued', 'building', 'releasing']);

/** Builds and releases of web services. */
export class Deployments {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** One page of deployments, newest first; the one after or before a deployment, by its id, if that is given. */
  list(
    webServiceId: string,
    { signal, ...query }: CallOptions & { limit?: number; offset?: number; after?: string; before?: string } = {},
  ): Promise<ListDeploymentsReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/deployments`, { query, signal });
  }

  /** Builds and releases the newest commit of a branch; by default of the configured one. */
  create(webServiceId: string, deployment: CreateDeploymentBody = {}, options?: CommandOptions): Promise<Deployment> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/deployments`, { body: deployment, ...options });
  }

  /** Builds and releases the source in a gzipped tar archive, at most 100 MiB, instead of a commit. */
  upload(
    webServiceId: string,
    archive: Uint8Array<ArrayBuffer>,
    { clearCache, ...options }: CommandOptions & { readonly clearCache?: boolean } = {},
  ): Promise<Deployment> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/deployments`, {
      archive,
      timeoutMs: UPLOAD_MS,
      ...(clearCache === undefined ? {} : { query: { clear_cache: String(clearCache) } }),
      ...options,
    });
  }

  get(webServiceId: string, deploymentId: string, options?: CallOptions): Promise<Deployment> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/deployments/${deploymentId}`, options);
  }

  /** Releases an earlier deployment again without building; returns the new deployment. */
  rollBack(webServiceId: string, deploymentId: string, options?: CommandOptions): Promise<Deployment> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/deployments/${deploymentId}/rollback`, options);
  }

  /** Cancels a deployment that is not live; the running version keeps serving. */
  cancel(webServiceId: string, deploymentId: string, options?: CommandOptions): Promise<Deployment> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/deployments/${deploymentId}/cancel`, options);
  }

  /** The log of the build and the release, oldest first. */
  logs(webServiceId: string, deploymentId: string, options?: CallOptions): Promise<GetDeploymentLogsReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/deployments/${deploymentId}/logs`, options);
  }

  /**
   * Resolves when the deployment is live.
   * @throws DeploymentFailedError if it ended in another way, DeploymentTimeoutError after the time limit.
   */
  async waitUntilLive(
    webServiceId: string,
    deploymentId: string,
    { timeoutMs = 15 * 60_000, pollMs = 3_000, onChange, signal }: WaitOptions = {},
  ): Promise<Deployment> {
    const endsAt = Date.now() + timeoutMs;
    let lastStatus: Deployment['status'] | undefined;
    for (;;) {
      const deployment = await this.get(webServiceId, deploymentId, { signal });
      if (deployment.status !== lastStatus) onChange?.(deployment);
      lastStatus = deployment.status;
      if (deployment.status === 'live') return deployment;
      if (!IN_PROGRESS.has(deployment.status)) throw new DeploymentFailedError(deployment);
      if (Date.now() + pollMs > endsAt) throw new DeploymentTimeoutError(deployment, timeoutMs);
      await pause(pollMs, signal);
    }
  }
}
