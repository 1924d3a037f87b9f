import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookEvent } from '@postern/sdk';

/** Postern's timeout for webhooks. */
const TIMEOUT_MS = 10_000;
/** Postern's concurrency for one webhook. */
const CONCURRENCY = 8;

/** Generates a signing secret in the format of webhooks. It never leaves this machine. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export interface Target {
  readonly url: URL;
  readonly secret: string;
  /** The events to forward. */
  readonly kinds: readonly string[];
}

/** The result of forwarding one event. */
export interface Forwarded {
  readonly event: string;
  readonly email_id: string;
  readonly to: string;
  readonly timestamp: string;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

/** Sends events to a local server like webhook-dispatch: the same bytes, headers and signature. */
export class EventForwarder {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Resolves when all events have a response or have failed. */
  async forward(bodies: readonly string[], onForwarded: (forwarded: Forwarded) => void): Promise<void> {
    const waiting = bodies.filter(body => this.#target.kinds.includes((JSON.parse(body) as WebhookEvent).event));
    const worker = async () => {
      for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) onForwarded(await this.#send(body));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  async #send(body: string): Promise<Forwarded> {
    const { event, email_id, to, timestamp } = JSON.parse(body) as WebhookEvent;
    const startedAt = performance.now();
    const outcome = await this.#post(body);
    return { event, email_id, to, timestamp, ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
  }

  async #post(body: string): Promise<Pick<Forwarded, 'status' | 'error'>> {
    const { url, secret } = this.#target;
    const seconds = Math.floor(Date.now() / 1_000);
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Postern-Webhooks/1',
          'x-service-timestamp': String(seconds),
          'x-service-signature': createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'),
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { status: response.status, error: null };
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error };
      return { status: null, error: cause?.message || message };
    }
  }
}
