import type { GetMetricsHistoryReply, LogLine, Usage } from '../api-types.js';
import type { CallOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';
import { linesOf, type ReconnectOptions } from './line-stream.js';

export interface FollowOptions extends ReconnectOptions {
  /** Number of earlier lines to begin with, at most 1,000; 100 by default. */
  readonly tail?: number;
}

/** Log lines of web services. */
export class Logs {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The last lines, oldest first. `since` is a Unix time in seconds. */
  async get(
    webServiceId: string,
    { tail, since, signal }: CallOptions & { tail?: number; since?: number } = {},
  ): Promise<LogLine[]> {
    const path = pathOf`/web-services/${webServiceId}/logs`;
    const { lines } = await this.#api.get<{ lines: LogLine[] }>(path, { query: { tail, since }, signal });
    return lines;
  }

  /**
   * The last lines and then every new one, each once, until the loop ends or `signal` is aborted. Reconnects by itself.
   * @throws the error of the API when the key or the web service is gone.
   */
  follow(
    webServiceId: string,
    { tail = 100, ...options }: FollowOptions = {},
  ): AsyncGenerator<LogLine, void, undefined> {
    return linesOf(this.#api, pathOf`/web-services/${webServiceId}/logs/stream`, { query: { tail }, ...options });
  }
}

/** Usage of CPU and memory by web services. */
export class Metrics {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The current usage; rejects with `NotFoundError` if the web service is not running. */
  get(webServiceId: string, options?: CallOptions): Promise<Usage> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/metrics`, options);
  }

  /** Past usage over `period` seconds before now; 3,600 by default. */
  history(
    webServiceId: string,
    { period, signal }: CallOptions & { period?: number } = {},
  ): Promise<GetMetricsHistoryReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/metrics/history`, { query: { period }, signal });
  }
}
