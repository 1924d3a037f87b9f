import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';
import { clientNetworkOf } from './client-network.js';

/** Which clients are not served at all for a while. */
export interface BlockedClients {
  /** Whether requests of a client are not answered. */
  readonly isBlocked: (client: string) => boolean;
  /** Whether accepted credentials came from a client: then others share its address, and its requests decide. */
  readonly isClientKnown: (client: string) => boolean;
  /** Whether a request is answered even if its client is blocked. */
  readonly isKnown: (request: IncomingMessage) => boolean;
}

export interface ConnectionLimitOptions {
  /** Of all servers that the limits are applied to. */
  readonly total: number;
  /** For each address, /64 of IPv6. */
  readonly perAddress: number;
  readonly blocking?: BlockedClients;
}

/** The client of a connection; undefined for a trusted proxy. */
const CLIENT = Symbol('client');

type Connection = Socket & { [CLIENT]?: string };
type Listener = (...given: unknown[]) => void;

/** Bounds the connections of each address and in total, and closes those of blocked clients. */
export class ConnectionLimits {
  private readonly open = new Map<string, number>();
  private openInTotal = 0;

  constructor(private readonly options: ConnectionLimitOptions) {}

  /**
   * Puts the limits in front of the listeners of a server, so that a refused connection costs no HTTP parser. Trusted
   * proxies have no limit of their own, because they stand for many clients.
   */
  apply(server: HttpServer, trustedProxies?: BlockList): void {
    const { blocking } = this.options;
    intercept(server, 'connection', socket => this.accepts(socket as Connection, trustedProxies));
    if (blocking) intercept(server, 'request', request => continues(request as IncomingMessage, blocking));
  }

  private accepts(socket: Connection, trustedProxies: BlockList | undefined): boolean {
    const client = clientOf(socket.remoteAddress ?? '', trustedProxies);
    if (this.openInTotal >= this.options.total || (client !== undefined && !this.hasPlace(client))) {
      socket.destroy();
      return false;
    }
    this.openInTotal += 1;
    if (client !== undefined) {
      socket[CLIENT] = client;
      this.open.set(client, (this.open.get(client) ?? 0) + 1);
    }
    socket.once('close', () => this.release(client));
    return true;
  }

  private hasPlace(client: string): boolean {
    const { perAddress, blocking } = this.options;
    if ((this.open.get(client) ?? 0) >= perAddress) return false;
    return !blocking?.isBlocked(client) || blocking.isClientKnown(client);
  }

  private release(client: string | undefined): void {
    this.openInTotal -= 1;
    if (client === undefined) return;
    const left = (this.open.get(client) ?? 1) - 1;
    if (left > 0) this.open.set(client, left);
    else this.open.delete(client);
  }
}

const continues = (request: IncomingMessage, { isBlocked, isKnown }: BlockedClients): boolean => {
  const client = (request.socket as Connection)[CLIENT];
  if (client === undefined || !isBlocked(client) || isKnown(request)) return true;
  request.socket.destroy();
  return false;
};

const clientOf = (address: string, trustedProxies: BlockList | undefined): string | undefined => {
  const client = clientNetworkOf(address);
  if (!trustedProxies) return client;
  const plain = isIP(client) === 4 ? client : address;
  return trustedProxies.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4') ? undefined : client;
};

const intercept = (server: HttpServer, event: 'connection' | 'request', passes: (first: unknown) => boolean): void => {
  const listeners = server.listeners(event) as Listener[];
  server.removeAllListeners(event);
  server.on(event, (...given: unknown[]) => {
    if (!passes(given[0])) return;
    for (const listener of listeners) listener.apply(server, given);
  });
};
