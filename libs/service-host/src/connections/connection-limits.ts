import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';
import { clientNetworkOf } from './client-network.js';
import { intercept } from './intercept.js';
import { YieldingQueue } from './yielding-queue.js';

/** Decides which clients are temporarily blocked. */
export interface BlockedClients {
  /** Whether the client is blocked. */
  readonly isBlocked: (client: string) => boolean;
  /**
   * Whether the client has sent accepted credentials: others may share its address, so each of its requests is checked.
   */
  readonly isClientKnown: (client: string) => boolean;
  /** Whether a request is answered even if its client is blocked. */
  readonly isKnown: (request: IncomingMessage) => boolean;
  /** Called for each dropped request or connection of a client. */
  readonly onDropped: (client: string) => void;
}

export interface ConnectionLimitOptions {
  /** Over all servers to which the limits are applied. */
  readonly total: number;
  /** Per address, per /64 of IPv6, and for all loopback addresses together. */
  readonly perAddress: number;
  /** If set, unknown connections and requests wait while many other unknown ones are being processed. */
  readonly blocking?: BlockedClients;
}

/**
 * Maximum number of requests without a known credential that may wait behind an unanswered one on the same connection.
 */
const MAX_PIPELINED = 4;
/**
 * Delay before the connection of a blocked client is closed; a client that waits for this opens no other connection.
 */
const HELD_MS = 1_000;

/** The client of a connection; undefined for a trusted proxy. */
const CLIENT = Symbol('client');
/** Number of consecutive requests that waited behind an unanswered one. */
const PIPELINED = Symbol('pipelined');
/** Set if no further request of a connection is answered. */
const DROPPED = Symbol('dropped');

type Connection = Socket & { [CLIENT]?: string; [PIPELINED]?: number; [DROPPED]?: true };

/** Limits the connections of each address and in total, and closes those of blocked clients. */
export class ConnectionLimits {
  private readonly open = new Map<string, number>();
  private openInTotal = 0;
  private readonly unknown = new YieldingQueue();

  constructor(private readonly options: ConnectionLimitOptions) {}

  /**
   * Applies the limits before the listeners of a server, so that a refused connection creates no HTTP parser. Trusted
   * proxies have no limit per address, because they represent many clients.
   */
  apply(server: HttpServer, trustedProxies?: BlockList): void {
    const { blocking } = this.options;
    intercept<[Connection]>(server, 'connection', ([socket], pass) => {
      if (!this.accepts(socket, trustedProxies)) return;
      if (!blocking) {
        pass();
        return;
      }
      this.admitConnection(socket, blocking, () => {
        pass();
        socket.resume();
      });
    });
    if (!blocking) return;
    pauseConnections(server);
    intercept<[IncomingMessage, ServerResponse]>(server, 'request', ([request, response], pass) =>
      this.admitRequest(request, response, blocking, pass),
    );
  }

  private accepts(socket: Connection, trustedProxies: BlockList | undefined): boolean {
    const client = clientOf(socket.remoteAddress ?? '', trustedProxies);
    const isFull = client !== undefined && (this.open.get(client) ?? 0) >= this.options.perAddress;
    if (isFull || this.openInTotal >= this.options.total) {
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

  private release(client: string | undefined): void {
    this.openInTotal -= 1;
    if (client === undefined) return;
    const left = (this.open.get(client) ?? 1) - 1;
    if (left > 0) this.open.set(client, left);
    else this.open.delete(client);
  }

  /**
   * A connection delivers as many requests as fit into one read, so connections of unknown clients are admitted one
   * after another.
   */
  private admitConnection(socket: Connection, blocking: BlockedClients, pass: () => void): void {
    const client = socket[CLIENT];
    if (client === undefined || blocking.isClientKnown(client)) {
      pass();
      return;
    }
    this.unknown.run(() => {
      if (socket.destroyed) return;
      if (blocking.isBlocked(client)) {
        hold(socket);
        blocking.onDropped(client);
      } else pass();
    });
  }

  private admitRequest(
    request: IncomingMessage,
    response: ServerResponse,
    blocking: BlockedClients,
    pass: () => void,
  ): void {
    const socket: Connection = request.socket;
    const isKnown = () => blocking.isKnown(request);
    if (socket[DROPPED] || (isPipelinedTooOften(socket, response) && !isKnown())) {
      drop(socket, blocking);
      return;
    }
    this.unknown.run(() => {
      const client = socket[CLIENT];
      if (socket[DROPPED] || (client !== undefined && blocking.isBlocked(client) && !isKnown())) drop(socket, blocking);
      else pass();
    }, isKnown);
  }
}

/** A response has no socket while it waits for an earlier response. */
const isPipelinedTooOften = (socket: Connection, response: ServerResponse): boolean => {
  const count = response.socket ? 0 : (socket[PIPELINED] ?? 0) + 1;
  if (count > 0 || socket[PIPELINED]) socket[PIPELINED] = count;
  return count > MAX_PIPELINED;
};

const drop = (socket: Connection, { onDropped }: BlockedClients): void => {
  if (!socket[DROPPED]) {
    socket[DROPPED] = true;
    stopParsing(socket);
    socket.destroy();
  }
  if (socket[CLIENT] !== undefined) onDropped(socket[CLIENT]);
};

/**
 * Otherwise the parser would parse everything already read, up to 1,700 small requests; it stops at an upgrade, which
 * is 2.
 */
const stopParsing = (socket: Connection): void => {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => 2);
};

/**
 * Otherwise a new connection is read before it is admitted: 64 KiB outside the heap, so a few hundred connections with
 * large bodies would fill memory until a full garbage collection. `http.createServer` does not pass this option to
 * `net.createServer`.
 */
const pauseConnections = (server: HttpServer): void => {
  Reflect.set(server, 'pauseOnConnect', true);
};

/** Closes a paused connection after a delay. */
const hold = (socket: Connection): void => {
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), HELD_MS);
  socket.once('close', () => clearTimeout(timer));
};

const clientOf = (address: string, trustedProxies: BlockList | undefined): string | undefined => {
  if (trustedProxies?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return undefined;
  return clientNetworkOf(address);
};
