import type { GetRunReply, ListRunsReply, LogLine, Run } from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { pause } from '../pause.js';
import { type PlatformCaller, pathOf } from './caller.js';
import { linesOf, type ReconnectOptions } from './line-stream.js';

/** One-off commands with the live release of a web service. */
export class Runs {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** Starts a command; it runs at most once. */
  create(webServiceId: string, command: string, options?: CommandOptions): Promise<Run> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/runs`, { body: { command }, ...options });
  }

  /** One page of runs, newest first. */
  list(
    webServiceId: string,
    { limit, offset, signal }: CallOptions & { limit?: number; offset?: number } = {},
  ): Promise<ListRunsReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/runs`, { query: { limit, offset }, signal });
  }

  /** A run with the last lines of its output. */
  get(webServiceId: string, runId: string, options?: CallOptions): Promise<GetRunReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/runs/${runId}`, options);
  }

  /**
   * The output of a run, each line once, as it is written; ends when the run has ended. `stream` of a line tells standard
   * output from standard error. Reconnects by itself.
   */
  follow(webServiceId: string, runId: string, options?: ReconnectOptions): AsyncGenerator<LogLine, void, undefined> {
    const path = pathOf`/web-services/${webServiceId}/runs/${runId}/logs/stream`;
    return linesOf(this.#api, path, { ...options, endsWithEvent: true });
  }

  cancel(webServiceId: string, runId: string, options?: CommandOptions): Promise<Run> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/runs/${runId}`, options);
  }

  /** Resolves when the run has ended, however it ended. A run ends after one hour at the latest. */
  async waitUntilEnded(
    webServiceId: string,
    runId: string,
    { pollMs = 3_000, signal }: CallOptions & { readonly pollMs?: number } = {},
  ): Promise<GetRunReply> {
    for (;;) {
      const run = await this.get(webServiceId, runId, { signal });
      if (run.status !== 'queued' && run.status !== 'running') return run;
      await pause(pollMs, signal);
    }
  }
}
