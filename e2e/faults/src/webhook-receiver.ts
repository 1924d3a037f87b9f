import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { WebhookCall } from './observed-traffic.js';

/** How the receiver treats calls; `down` refuses connections. */
export type ReceiverBehaviour = 'normal' | 'hang' | 'error' | 'reset' | 'down';

/** The specification recommends a tolerance of about five minutes to receivers. */
const TOLERANCE_S = 300;

interface Payload {
  readonly event: string;
  readonly email_id: string;
  readonly to: string;
  readonly data: { readonly machine?: boolean };
}

/** The webhook endpoint of a run: verifies each call as the specification defines, and records it. */
export class WebhookReceiver {
  readonly calls: WebhookCall[] = [];
  /** How far the caller's clock may be off in addition to the tolerance, while a fault has shifted it. */
  clockToleranceMs = 0;
  secret = '';
  private current: ReceiverBehaviour = 'normal';
  private server: Server | undefined;
  private readonly waiting = new Map<string, () => void>();

  constructor(readonly port: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  async behave(behaviour: ReceiverBehaviour): Promise<void> {
    this.current = behaviour;
    if (behaviour === 'down') await this.close();
    else if (!this.server) await this.open();
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => void this.receive(request, response));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  async close(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Resolves when an accepted call reports this event of a recipient; earlier calls count too. */
  waitForEvent(event: string, recipient: string, timeoutMs: number): Promise<boolean> {
    if (this.calls.some(call => call.accepted && call.event === event && call.recipient === recipient))
      return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const key = `${event} ${recipient}`;
    const timer = setTimeout(() => resolve(false), timeoutMs);
    this.waiting.set(key, () => resolve(true));
    return promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(key);
    });
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const unsigned = this.whyUnsigned(request, body);
    const status = this.current === 'error' ? 500 : unsigned === null ? 200 : 401;
    const answers = this.current === 'normal' || this.current === 'error';
    this.note(body, unsigned, answers && status === 200);
    if (this.current === 'reset') response.socket?.destroy();
    else if (answers && !response.destroyed) response.writeHead(status).end();
  }

  private note(body: Buffer, unsigned: string | null, accepted: boolean): void {
    const { event, email_id, to, data } = JSON.parse(body.toString('utf8')) as Payload;
    const machine = data.machine === true;
    this.calls.push({ at: Date.now(), event, emailId: email_id, recipient: to, machine, unsigned, accepted });
    if (accepted) this.waiting.get(`${event} ${to}`)?.();
  }

  private whyUnsigned({ headers }: IncomingMessage, body: Buffer): string | null {
    const timestamp = String(headers['x-service-timestamp'] ?? '');
    const signature = Buffer.from(String(headers['x-service-signature'] ?? ''));
    const expected = Buffer.from(createHmac('sha256', this.secret).update(`${timestamp}.`).update(body).digest('hex'));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return 'wrong signature';
    const offS = Math.abs(Date.now() / 1_000 - Number(timestamp));
    return offS > TOLERANCE_S + this.clockToleranceMs / 1_000 ? `timestamp ${Math.round(offS)} s off` : null;
  }
}
