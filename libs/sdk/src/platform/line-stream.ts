import type { LogLine } from '../api-types.js';
import { ApiError, ConnectionError } from '../errors.js';
import { EventStreamParser, type ServerSentEvent } from '../event-stream.js';
import type { AbortSignalLike, CallOptions } from '../http-client.js';
import { pause } from '../pause.js';
import { isRetryable } from '../retries.js';
import type { PlatformCaller } from './caller.js';
import { LogWindow } from './log-window.js';

export interface ReconnectOptions extends CallOptions {
  /** How long a lost connection is sought again before the loop gives up; 300,000 milliseconds by default. */
  readonly reconnectMs?: number;
}

export interface LineStreamOptions extends ReconnectOptions {
  readonly query?: Readonly<Record<string, number>>;
  /** Whether the event `end` ends the loop; otherwise the error of the next attempt tells why the stream ended. */
  readonly endsWithEvent?: boolean;
}

/** The server sends a comment every 15 seconds. */
const IDLE_MS = 45_000;
/** As long as other calls are repeated. */
const BEGIN_WITHIN_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** The lines of a stream, each once. Reconnects by itself. @throws the error of the API when it refuses to continue. */
export async function* linesOf(
  api: PlatformCaller,
  path: string,
  { query = {}, endsWithEvent = false, reconnectMs = 300_000, signal }: LineStreamOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const window = new LogWindow();
  let pauseMs = FIRST_PAUSE_MS;
  let [lostAt, giveUpMs]: [number | undefined, number] = [undefined, BEGIN_WITHIN_MS];
  const onOpen = () => {
    [pauseMs, lostAt, giveUpMs] = [FIRST_PAUSE_MS, undefined, reconnectMs];
  };
  for (;;) {
    try {
      const options = { query, signal, lastEventId: window.resume(), onOpen };
      for await (const { id, type, data } of eventsOf(api, path, options)) {
        if (type === 'end' && endsWithEvent) return;
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

interface StreamOptions {
  readonly query: Readonly<Record<string, number>>;
  readonly signal: AbortSignalLike | undefined;
  readonly lastEventId: string | undefined;
  readonly onOpen: () => void;
}

async function* eventsOf(
  api: PlatformCaller,
  path: string,
  { query, signal, lastEventId, onOpen }: StreamOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const headers = { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const parser = new EventStreamParser();
  for await (const text of api.stream(path, { query, headers, signal, idleMs: IDLE_MS })) {
    onOpen();
    yield* parser.push(text);
  }
}

const mayReconnect = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && isRetryable(error.status));

const retryAfterMs = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterS ?? 0) * 1_000 : 0);
