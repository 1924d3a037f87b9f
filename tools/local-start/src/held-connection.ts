import { connect } from 'node:net';
import { inboxPrefixOf } from '@postern/contracts';
import { connectNats, type NatsLink } from '@postern/messaging';

/** Credentials of a NATS user. */
export interface Credential {
  readonly user: string;
  readonly password: string;
}

/** A NATS server, and how to connect to it. */
export interface HeldConnectionOptions {
  readonly url: string;
  readonly credential?: Credential;
  /** Certificate authority of the server (PEM file); required with a credential. */
  readonly caFile?: string;
}

/**
 * A connection to NATS that stays open, so that a flood of other connections cannot make a working server look dead: at its limit
 * of connections, NATS refuses new ones and continues to answer existing ones.
 */
export class HeldConnection {
  private link: NatsLink | undefined;
  private isClosed = false;

  constructor(private readonly options: HeldConnectionOptions) {
    void this.connect();
  }

  /**
   * Whether JetStream answers in time. The account information covers every stream: a server whose streams hang does not answer,
   * although its `/healthz` reports ok. Without a connection, a server that greets a new client counts as alive.
   */
  async jetStreamAnswers(withinMs: number): Promise<boolean> {
    if (!this.link?.connected) return greets(new URL(this.options.url), withinMs);
    try {
      const answer = await this.link.nc.request('$JS.API.INFO', '', { timeout: withinMs });
      return answer.json<{ error?: unknown }>().error === undefined;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.link?.close();
  }

  private async connect(): Promise<void> {
    const { url, credential, caFile } = this.options;
    const link = await connectNats({
      servers: url,
      name: 'local-start',
      ...credential,
      ...(caFile ? { tls: { caFile } } : {}),
      // The operator is the only user with access to this API, and may use only these inboxes.
      inboxPrefix: inboxPrefixOf('operator'),
    }).catch(() => undefined);
    if (this.isClosed) await link?.close();
    else this.link = link;
  }
}

/** Any first line, also that of a refusal, comes from a working server. */
const greets = ({ port, hostname }: URL, withinMs: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    const answer = (isAlive: boolean) => {
      socket.destroy();
      resolve(isAlive);
    };
    socket.setTimeout(withinMs, () => answer(false));
    socket.once('error', () => answer(false));
    socket.once('close', () => answer(false));
    socket.once('data', () => answer(true));
  });
