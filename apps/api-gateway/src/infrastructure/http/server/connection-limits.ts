import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { clientNetworkOf } from '@postern/service-host';

export interface ConnectionLimitOptions {
  readonly total: number;
  /** For each address, /64 of IPv6; trusted proxies have no limit of their own, because they stand for many clients. */
  readonly perAddress: number;
  readonly trustedProxies: readonly string[];
  /** Whether requests of a client are not answered. */
  readonly isBlocked: (client: string) => boolean;
  /** Whether accepted credentials came from a client: then others share its address, and its requests decide. */
  readonly isClientKnown: (client: string) => boolean;
  /** Whether a request is answered even if its client is blocked. */
  readonly isKnown: (request: IncomingMessage) => boolean;
}

/** The client of a connection; undefined for a trusted proxy. */
const CLIENT = Symbol('client');

type Connection = Socket & { [CLIENT]?: string };
type Listener = (...given: unknown[]) => void;

/** Bounds the connections of each address and in total, and closes those of blocked clients. */
export class ConnectionLimits {
  private readonly open = new Map<string, number>();
  private readonly proxies: BlockList;

  constructor(private readonly options: ConnectionLimitOptions) {
    this.proxies = rangesOf(options.trustedProxies);
  }

  /** Puts the limits in front of the listeners of a server, so that a refused connection costs no HTTP parser. */
  apply(server: HttpServer): void {
    server.maxConnections = this.options.total;
    intercept(server, 'connection', socket => this.accepts(socket as Connection));
    intercept(server, 'request', request => this.continues(request as IncomingMessage));
  }

  private accepts(socket: Connection): boolean {
    const client = this.clientOf(socket.remoteAddress ?? '');
    if (client === undefined) return true;
    const open = this.open.get(client) ?? 0;
    const { perAddress, isBlocked, isClientKnown } = this.options;
    if (open >= perAddress || (isBlocked(client) && !isClientKnown(client))) {
      socket.destroy();
      return false;
    }
    socket[CLIENT] = client;
    this.open.set(client, open + 1);
    socket.once('close', () => {
      const left = (this.open.get(client) ?? 1) - 1;
      if (left > 0) this.open.set(client, left);
      else this.open.delete(client);
    });
    return true;
  }

  private continues(request: IncomingMessage): boolean {
    const client = (request.socket as Connection)[CLIENT];
    if (client === undefined || !this.options.isBlocked(client) || this.options.isKnown(request)) return true;
    request.socket.destroy();
    return false;
  }

  private clientOf(address: string): string | undefined {
    const client = clientNetworkOf(address);
    const plain = isIP(client) === 4 ? client : address;
    return this.proxies.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4') ? undefined : client;
  }
}

/** The names that Fastify also accepts. */
const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const rangesOf = (proxies: readonly string[]): BlockList => {
  const ranges = new BlockList();
  for (const proxy of proxies.flatMap(name => NAMED_RANGES[name] ?? name)) {
    const [address = '', bits] = proxy.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(bits), family);
  }
  return ranges;
};

const intercept = (server: HttpServer, event: 'connection' | 'request', passes: (first: unknown) => boolean): void => {
  const listeners = server.listeners(event) as Listener[];
  server.removeAllListeners(event);
  server.on(event, (...given: unknown[]) => {
    if (!passes(given[0])) return;
    for (const listener of listeners) listener.apply(server, given);
  });
};
