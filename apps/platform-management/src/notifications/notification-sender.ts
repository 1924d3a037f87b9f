import { Injectable } from '@nestjs/common';
import type { NotificationTarget } from '@postern/contracts';
import { EndpointHttpClient, shownReason, signedHeaders } from '@postern/outbound';

/** Where notifications are sent, with its secrets. Stored encrypted. */
export interface TargetSecrets {
  readonly url: string;
  /** The signing secret; null for Slack. */
  readonly secret: string | null;
}

export interface SentNotification {
  /** Why the target did not accept the notification; undefined if it did. */
  readonly error?: string | undefined;
  /** Whether an attempt later is useless. */
  readonly isFinal: boolean;
  readonly durationMs: number;
}

/** The endpoint gave up waiting, or asked for fewer requests. */
const RETRIED = new Set([408, 429]);

/** Sends one notification over HTTP. Never rejects. */
@Injectable()
export class NotificationSender {
  constructor(private readonly http: EndpointHttpClient) {}

  async send(
    kind: NotificationTarget['kind'],
    { url, secret }: TargetSecrets,
    body: string,
    now = new Date(),
  ): Promise<SentNotification> {
    const headers =
      kind === 'slack' || secret === null
        ? { 'content-type': 'application/json', 'user-agent': 'Postern-Notifications/1' }
        : signedHeaders(secret, body, Math.floor(now.getTime() / 1_000));
    const { status, error, responseHead = '', latencyMs: durationMs } = await this.http.post({ url, headers, body });
    if (status !== undefined && status >= 200 && status < 300) return { isFinal: true, durationMs };
    const answer =
      status === undefined ? (error ?? 'no response') : `HTTP ${status}${responseHead && `: ${responseHead}`}`;
    const isFinal = status !== undefined && status >= 400 && status < 500 && !RETRIED.has(status);
    return { error: shownReason(answer), isFinal, durationMs };
  }
}
