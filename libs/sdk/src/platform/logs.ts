import type { GetMetricsHistoryReply, LogLine, Usage } from '../api-types.js';
import { ApiError, ConnectionError } from '../errors.js';
import { EventStreamParser, type ServerSentEvent } from '../event-stream.js';
import type { AbortSignalLike, CallOptions } from '../http-client.js';
import { pause } from '../pause.js';
import { isRetryable } from '../retries.js';
import { type PlatformCaller, pathOf } from './caller.js';
import { LogWindow } from './log-window.js';

export interface FollowOptions extends CallOptions {
  /** Number of earlier lines to begin with, at most 1,000; 100 by default. */
  readonly tail?: number;
  /** How long a lost connection is sought again before `follow` gives up; 300,000 milliseconds by default. */
  readonly reconnectMs?: number;
}

/** The server sends a comment every 15 seconds. */
const IDLE_MS = 45_000;
/** As long as other calls are repeated. */
const BEGIN_WITHIN_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

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
  async *follow(
    webServiceId: string,
    { tail = 100, reconnectMs = 300_000, signal }: FollowOptions = {},
  ): AsyncGenerator<LogLine, void, undefined> {
    const window = new LogWindow();
    let pauseMs = FIRST_PAUSE_MS;
    let [lostAt, giveUpMs]: [number | undefined, number] = [undefined, BEGIN_WITHIN_MS];
    const onOpen = () => {
      [pauseMs, lostAt, giveUpMs] = [FIRST_PAUSE_MS, undefined, reconnectMs];
    };
    for (;;) {
      try {
        const options = { tail, signal, lastEventId: window.resume(), onOpen };
        for await (const { id, type, data } of this.#events(webServiceId, options)) {
          // Why it ends is the error of the next attempt.
          if (type === 'end') break;
          const line = JSON.parse(data) as LogLine;
          if (window.add(id, line)) yield line;
        }
      } catch (error) {
        lostAt ??= Date.now();
        if (!mayReconnect(error) || Date.now() - lostAt >= giveUpMs) throw error;
        pauseMs = Math.max(pauseMs, retryAfterMs(error));
      }
      await pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  async *#events(
    webServiceId: string,
    { tail, signal, lastEventId, onOpen }: StreamOptions,
  ): AsyncGenerator<ServerSentEvent, void, undefined> {
    const path = pathOf`/web-services/${webServiceId}/logs/stream`;
    const headers = { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
    const parser = new EventStreamParser();
    for await (const text of this.#api.stream(path, { query: { tail }, headers, signal, idleMs: IDLE_MS })) {
      onOpen();
      yield* parser.push(text);
    }
  }
}

interface StreamOptions {
  readonly tail: number;
  readonly signal: AbortSignalLike | undefined;
  readonly lastEventId: string | undefined;
  readonly onOpen: () => void;
}

const mayReconnect = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && isRetryable(error.status));

const retryAfterMs = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterS ?? 0) * 1_000 : 0);

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
