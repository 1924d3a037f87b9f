import { connect, type Server, type Socket } from 'node:net';

/** The port in the network of the user, to which all connections of sandboxes to the machine are directed. */
export const PASSAGE_PORT = 9;

/** The machine counts all addresses of its loopback interface as one client, which one sandbox must not use up. */
const MOST_PER_SANDBOX = 50;
const MOST = 200;

/** The address in the network of the user that stands for a port of the machine. */
export const addressOfPort = (port: number): string => `127.${port >> 8}.${port & 255}.1`;

const portOfAddress = (address: string): number => {
  const [, high = 0, low = 0] = address.split('.').map(Number);
  return high * 256 + low;
};

/** Passes connections of sandboxes on to ports of this machine. The rules of nftables have decided that they may. */
export class Passage {
  readonly #open = new Map<string, number>();

  accept(server: Server): void {
    // A side that has sent everything must still receive the rest.
    (server as Server & { allowHalfOpen: boolean }).allowHalfOpen = true;
    server.on('connection', socket => this.#pass(socket));
  }

  #pass(socket: Socket): void {
    const { remoteAddress: sandbox = '', localAddress = '' } = socket;
    socket.on('error', () => socket.destroy());
    const total = [...this.#open.values()].reduce((sum, each) => sum + each, 0);
    const own = this.#open.get(sandbox) ?? 0;
    if (own >= MOST_PER_SANDBOX || total >= MOST) {
      socket.resetAndDestroy();
      return;
    }
    this.#open.set(sandbox, own + 1);
    // Servers see an address for each sandbox: 127.208.0.6 for 10.208.0.6.
    const from = `127${sandbox.slice(sandbox.indexOf('.'))}`;
    const server = connect({
      ...{ host: '127.0.0.1', port: portOfAddress(localAddress), localAddress: from },
      ...{ allowHalfOpen: true, noDelay: true },
    });
    server.on('error', () => socket.resetAndDestroy());
    server.on('close', () => socket.destroy());
    socket.on('close', () => {
      server.destroy();
      const left = (this.#open.get(sandbox) ?? 1) - 1;
      if (left === 0) this.#open.delete(sandbox);
      else this.#open.set(sandbox, left);
    });
    socket.pipe(server).pipe(socket);
  }
}
