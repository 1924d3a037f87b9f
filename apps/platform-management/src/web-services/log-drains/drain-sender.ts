import { STATUS_CODES } from 'node:http';
import type { LogDrainKind } from '@postern/contracts';
import { EndpointHttpClient, type EndpointResponse, OutboundGuard, shownReason } from '@postern/outbound';
import { type DrainTarget, secretsOf } from './drain-target.js';
import type { DrainedLine, DrainedService } from './drained-line.js';
import { newlineJson } from './newline-json.js';
import { otlpLogs } from './otlp-logs.js';
import { type SyslogOptions, sendFrames } from './syslog-connection.js';
import { syslogFrames } from './syslog-messages.js';

/** The result of sending a batch. */
export interface SendResult {
  /** Why the receiver did not accept the batch; undefined if it did. */
  readonly error?: string | undefined;
  readonly durationMs: number;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the receiver refused the size of the batch. */
  readonly isTooLarge?: boolean;
}

const TOO_LARGE = 413;
const SYSLOG: SyslogOptions = { timeoutMs: 10_000 };

/** Sends batches of lines in the format of a drain. Never rejects. */
export class DrainSender {
  constructor(
    private readonly http: EndpointHttpClient,
    private readonly guard: OutboundGuard,
    private readonly syslog: SyslogOptions = SYSLOG,
  ) {}

  async send(
    kind: LogDrainKind,
    target: DrainTarget,
    lines: readonly DrainedLine[],
    service: DrainedService,
  ): Promise<SendResult> {
    const result =
      kind === 'syslog' ? await this.#syslog(target, lines, service) : await this.#post(kind, target, lines, service);
    return result.error === undefined ? result : { ...result, error: shownReason(result.error, secretsOf(target)) };
  }

  async #post(
    kind: Exclude<LogDrainKind, 'syslog'>,
    { url, headers }: DrainTarget,
    lines: readonly DrainedLine[],
    service: DrainedService,
  ): Promise<SendResult> {
    const [type, format] =
      kind === 'otlp' ? (['application/json', otlpLogs] as const) : (['application/x-ndjson', newlineJson] as const);
    const response = await this.http.post({
      url,
      headers: { ...headers, 'content-type': type, 'user-agent': 'Postern-Log-Drains/1' },
      body: format(lines, service),
    });
    const { status, latencyMs, retryAfterMs } = response;
    return { error: errorOf(response), durationMs: latencyMs, retryAfterMs, isTooLarge: status === TOO_LARGE };
  }

  async #syslog({ url }: DrainTarget, lines: readonly DrainedLine[], service: DrainedService): Promise<SendResult> {
    const startedAt = performance.now();
    const error = await sendFrames(new URL(url), syslogFrames(lines, service), this.guard, this.syslog).then(
      () => undefined,
      (failure: Error) => failure.message,
    );
    return { error, durationMs: Math.round(performance.now() - startedAt) };
  }
}

/** 2xx is accepted. Everything else is an error, because a log has no line that may be skipped. */
const errorOf = ({ status, error, responseHead = '' }: EndpointResponse): string | undefined => {
  if (status === undefined) return error ?? 'no response';
  if (status >= 200 && status < 300) return undefined;
  const name = `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  if (status >= 300 && status < 400) return `${name}; redirects are not followed`;
  return responseHead.trim() === '' ? name : `${name}: ${responseHead}`;
};
