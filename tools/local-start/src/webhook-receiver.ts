import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly event: string;
  readonly email_id: string;
  readonly to: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const TOLERANCE_S = 300;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/**
 * A webhook receiver as specified: checks the timestamp and the signature over the raw bytes before it accepts an
 * event.
 */
export class WebhookReceiver {
  private server: Server | undefined;
  secret = '';

  constructor(private readonly onEvent: (event: ReceivedEvent) => void) {}

  async listen(): Promise<string> {
    this.server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      const genuine = this.isGenuine(request, body);
      if (genuine) this.onEvent(JSON.parse(body.toString('utf8')) as ReceivedEvent);
      response.writeHead(genuine ? 204 : 401).end();
    });
    await new Promise<void>(resolve => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  private isGenuine(request: IncomingMessage, body: Buffer): boolean {
    const timestamp = String(request.headers['x-service-timestamp'] ?? '');
    const signature = Buffer.from(String(request.headers['x-service-signature'] ?? ''), 'hex');
    const expected = createHmac('sha256', this.secret).update(`${timestamp}.`).update(body).digest();
    const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S;
    return fresh && signature.length === expected.length && timingSafeEqual(signature, expected);
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
