import { createHmac } from 'node:crypto';
import {
  DashboardClient,
  LIFTED_CALLER_LIMITS,
  type RunningPostern,
  type StartOptions,
  startPostern,
} from '@postern/local-start';
import { type ReceivedRequest, startHttpReceiver, type TestHttpReceiver } from '@postern/testing';
import { Mailbox, type MailboxMessage } from './mailbox.js';
import { type PosternAccess, sharedPostern } from './shared-postern.js';
import { temporaryHome } from './temporary-home.js';

/** A response of the public API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface WebhookEvent {
  readonly event: string;
  readonly email_id: string;
  readonly service_id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Domain {
  readonly id: string;
  readonly status: string;
  readonly records: readonly { readonly name: string; readonly value: string }[];
}

/** An email service for one test, with its key and a webhook for all events. */
export class Sender {
  constructor(
    readonly world: World<PosternAccess>,
    readonly serviceId: string,
    readonly apiKey: string,
    readonly receiver: TestHttpReceiver,
    readonly webhookId: string,
    readonly webhookSecret: string,
    /** Signed in to the workspace of the service. */
    private readonly dashboard: DashboardClient = world.dashboard,
  ) {}

  /** Its path in the dashboard API. */
  get path(): string {
    return `/email-services/${this.serviceId}`;
  }

  send(body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.world.call('POST', '/emails', { headers: { 'api-key': this.apiKey, ...headers }, body });
  }

  get(id: string): Promise<ApiAnswer> {
    return this.world.call('GET', `/emails/${id}`, { headers: { 'api-key': this.apiKey } });
  }

  /** Waits for the webhook call of this event. */
  async call(event: string, emailId: string, timeoutMs = 20_000): Promise<ReceivedRequest> {
    return this.receiver.nextRequest(
      ({ body }) => {
        const payload = JSON.parse(body.toString('utf8')) as WebhookEvent;
        return payload.event === event && payload.email_id === emailId;
      },
      { timeoutMs },
    );
  }

  async event(event: string, emailId: string, timeoutMs?: number): Promise<WebhookEvent> {
    return JSON.parse((await this.call(event, emailId, timeoutMs)).body.toString('utf8')) as WebhookEvent;
  }

  /** Adds a domain, publishes its records and verifies them. */
  async verifyDomain(domain: string): Promise<Domain> {
    const added = await this.dashboard.post<Domain>(`${this.path}/domains`, { domain });
    for (const { name, value } of added.records) await this.world.postern.dns.setText(name, value);
    return this.dashboard.post<Domain>(`${this.path}/domains/${added.id}/verify`, {});
  }

  /** Verifies an address with the code from its mailbox. */
  async verifyRecipient(address: string): Promise<{ readonly id: string }> {
    const { id } = await this.dashboard.post<{ id: string }>(`${this.path}/recipients`, { address });
    const code = await this.world.codeSentTo(address);
    await this.dashboard.post(`${this.path}/recipients/${id}/verify`, { code });
    return { id };
  }
}

/** A running Postern for tests, with the operator's session. */
export class World<Postern extends PosternAccess = RunningPostern> {
  private readonly receivers: TestHttpReceiver[] = [];
  readonly mailbox: Mailbox;

  private constructor(
    readonly postern: Postern,
    readonly dashboard: DashboardClient,
    /** The operator's session. */
    readonly token: string,
    private readonly release: () => Promise<void>,
  ) {
    this.mailbox = new Mailbox(postern.mailboxUrl);
  }

  /** Starts a Postern for one test file, for its own options or because its tests break parts of Postern. */
  static async start(options: Partial<StartOptions> = {}): Promise<World> {
    const home = temporaryHome();
    // Many tests in one workspace, each of which polls for an outcome, would reach its limits.
    const gateway = { ...LIFTED_CALLER_LIMITS, ...options.environment?.['api-gateway'] };
    const environment = { ...options.environment, 'api-gateway': gateway };
    const postern = await startPostern({ home: home.folder, port: 0, ...options, environment });
    return World.on(postern, async () => {
      await postern.stop();
      home.remove();
    });
  }

  /** The Postern shared by the test files that only use the public API. */
  static async shared(): Promise<World<PosternAccess>> {
    return World.on(await sharedPostern(), async () => undefined);
  }

  private static async on<P extends PosternAccess>(postern: P, release: () => Promise<void>): Promise<World<P>> {
    const { email, password } = postern.operator;
    const dashboard = new DashboardClient(postern.baseUrl);
    await dashboard.login(email, password);
    const session = { email, password };
    const { token } = await new DashboardClient(postern.baseUrl).post<{ token: string }>('/session', session);
    return new World(postern, dashboard, token, release);
  }

  async stop(): Promise<void> {
    await this.release();
    for (const receiver of this.receivers) await receiver.stop();
  }

  get operatorLogin(): { readonly email: string; readonly password: string } {
    return this.postern.operator;
  }

  /** A sandbox service, or a production service with `domain`; of the workspace of the operator by default. */
  async sender(name: string, domain?: string, dashboard = this.dashboard): Promise<Sender> {
    const service = await dashboard.post<{ id: string }>('/email-services', { name });
    const path = `/email-services/${service.id}`;
    const { key } = await dashboard.post<{ key: string }>(`${path}/api-keys`, { name: 'story' });
    const receiver = await startHttpReceiver();
    this.receivers.push(receiver);
    const webhook = await dashboard.post<{ id: string; secret: string }>(`${path}/webhooks`, {
      url: `${receiver.url}/events`,
      events: ['delivered', 'bounced', 'complained', 'opened', 'clicked'],
    });
    const sender = new Sender(this, service.id, key, receiver, webhook.id, webhook.secret, dashboard);
    if (domain) await sender.verifyDomain(domain);
    return sender;
  }

  async call(
    method: string,
    path: string,
    request: { readonly headers?: Record<string, string>; readonly body?: unknown } = {},
  ): Promise<ApiAnswer> {
    const { headers = {}, body } = request;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${this.postern.baseUrl}${path}`, {
      method,
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(text === undefined ? {} : { body: text }),
      redirect: 'manual',
    });
    const answer = await response.text();
    const json = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(answer) : { text: answer } };
  }

  /** Calls the dashboard API as a script and returns errors too; as the operator unless another token is given. */
  callDashboardApi(method: string, path: string, body?: unknown, token = this.token): Promise<ApiAnswer> {
    return this.call(method, `/dashboard/api${path}`, { headers: { authorization: `Bearer ${token}` }, body });
  }

  /** Waits for the newest matching mail in a mailbox. */
  mailTo(address: string, fits?: (mail: MailboxMessage) => boolean): Promise<MailboxMessage> {
    return this.mailbox.mailTo(address, fits);
  }

  /** All mail in a mailbox since this world started, oldest first. */
  mailsTo(address: string): Promise<readonly MailboxMessage[]> {
    return this.mailbox.mailsTo(address);
  }

  /** The newest six-digit code that Postern sent to an address. */
  codeSentTo(address: string): Promise<string> {
    return this.mailbox.codeSentTo(address);
  }
}

/** The signature that the specification defines for receivers to verify. */
export const signatureOf = (secret: string, call: ReceivedRequest): string =>
  createHmac('sha256', secret).update(`${call.headers['x-service-timestamp']}.`).update(call.body).digest('hex');
