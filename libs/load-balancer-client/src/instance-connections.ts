import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { entranceOf, isRunning, type UserNetwork, userNetworkOf } from './user-network.js';

export interface InstanceAddress {
  readonly host: string;
  readonly port: number;
}

/** Receives the connection or the error. */
export type Connected = (error: NodeJS.ErrnoException | null, socket: Socket | null) => void;

/**
 * Runs in the network of sandboxes: opens connections and hands over their sockets, so that no data pass through it. Does not read
 * before. It ends with its parent, and with the network.
 */
const CONNECTOR = `
  const { connect } = require('node:net');
  const inside = Number(process.argv[1]);
  process.on('message', ({ id, host, port, timeoutMs }) => {
    const socket = connect({ host, port, noDelay: true });
    socket.pause();
    const fail = ({ code, message }) => process.send?.({ id, failure: { code, message } });
    const late = setTimeout(() => socket.destroy(), timeoutMs);
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(late);
      socket.off('error', fail);
      process.send?.({ id }, socket);
    });
  });
  process.on('disconnect', () => process.exit());
  process.on('uncaughtException', () => process.exit(1));
  setInterval(() => { try { process.kill(inside, 0); } catch { process.exit(); } }, 1_000);`;

interface Answer {
  readonly id: number;
  readonly failure?: { readonly code?: string; readonly message: string };
}

/** Connections to instances, wherever their network is: in the machine's, or in one that an ordinary user owns. */
export class InstanceConnections {
  #connector: ChildProcess | undefined;
  #network: UserNetwork | undefined;
  #requests = 0;
  readonly #waiting = new Map<number, Connected>();

  constructor(private readonly platformHome: string) {}

  /**
   * Whether the address is in the network of this process. Those of sandboxes never are in the home of an ordinary user: without
   * their network, a request would leave the machine by its default route. The load balancer in a home of root may be any user.
   */
  #isNear({ host }: InstanceAddress): boolean {
    if (host.startsWith('127.')) return true;
    return this.#isHomeOfRoot() && !this.#connector && userNetworkOf(this.platformHome) === undefined;
  }

  #isHomeOfRoot(): boolean {
    return process.getuid?.() === 0 || statSync(this.platformHome, { throwIfNoEntry: false })?.uid === 0;
  }

  /** Calls back once; a connection that is not established in time is an error with the code ETIMEDOUT. */
  open(address: InstanceAddress, timeoutMs: number, callback: Connected): void {
    if (this.#isNear(address)) openDirectly(address, timeoutMs, callback);
    else this.#openInside(address, timeoutMs, inTime(callback, timeoutMs, address));
  }

  close(): void {
    const connector = this.#connector;
    if (connector) this.#onEnd(connector);
    if (connector?.connected) connector.disconnect();
  }

  #openInside({ host, port }: InstanceAddress, timeoutMs: number, callback: Connected): void {
    // A connector of a network that was replaced would reach nothing.
    if (this.#network && !isRunning(this.#network.inside)) this.close();
    const connector = this.#connector ?? this.#start();
    if (!connector) {
      callback(new Error('the network of web services has ended'), null);
      return;
    }
    this.#requests += 1;
    this.#waiting.set(this.#requests, callback);
    connector.send({ id: this.#requests, host, port, timeoutMs }, () => undefined);
  }

  #start(): ChildProcess | undefined {
    const network = userNetworkOf(this.platformHome);
    if (!network) return undefined;
    this.#network = network;
    const { pid } = network.inside;
    const enter = [...entranceOf(network), `--net=/proc/${pid}/ns/net`, '--'];
    const child = spawn('nsenter', [...enter, process.execPath, '-e', CONNECTOR, String(pid)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env['PATH'] },
    });
    child.on('message', ({ id, failure }: Answer, socket) => {
      const callback = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (!callback) (socket as Socket | undefined)?.destroy();
      else if (socket) callback(null, socket as Socket);
      else callback(Object.assign(new Error(failure?.message ?? 'no connection'), { code: failure?.code }), null);
    });
    const onEnd = () => this.#onEnd(child);
    child.once('error', onEnd).once('exit', onEnd).once('disconnect', onEnd);
    // It must not keep this process alive.
    child.unref();
    child.channel?.unref();
    this.#connector = child;
    return child;
  }

  #onEnd(child: ChildProcess): void {
    if (this.#connector !== child) return;
    this.#connector = undefined;
    this.#network = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const callback of waiting) callback(new Error('the network of web services has ended'), null);
  }
}

const openDirectly = ({ host, port }: InstanceAddress, timeoutMs: number, callback: Connected): void => {
  const socket = connect({ port, host, noDelay: true });
  const late = setTimeout(() => socket.destroy(new ConnectTimeout(host, port)), timeoutMs);
  const fail = (error: Error) => {
    clearTimeout(late);
    callback(error, null);
  };
  socket.once('error', fail);
  socket.once('connect', () => {
    clearTimeout(late);
    socket.off('error', fail);
    callback(null, socket);
  });
};

/** Calls back once, also if nothing happens in time. A connection that comes later is closed. */
const inTime = (callback: Connected, timeoutMs: number, { host, port }: InstanceAddress): Connected => {
  let isOver = false;
  const end: Connected = (error, socket) => {
    clearTimeout(late);
    if (isOver) socket?.destroy();
    else callback(error, socket);
    isOver = true;
  };
  const late = setTimeout(() => end(new ConnectTimeout(host, port), null), timeoutMs);
  return end;
};

/** The listen queue of the instance is full, or its machine is unreachable. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ETIMEDOUT';
  constructor(host: string, port: number) {
    super(`no connection to ${host}:${port} in time`);
  }
}
