import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Address } from '@postern/runtime/testing';

const ANSWER = 'the API gateway';

/** Servers of the machine: one that takes the place of the API gateway, and one that no sandbox may reach. */
export class MachineServers {
  readonly gatewayAnswer = ANSWER;

  private constructor(
    private readonly gateway: Server,
    private readonly closed: Server,
  ) {}

  static async start(): Promise<MachineServers> {
    const [gateway, closed] = [serverOf(ANSWER), serverOf('not for sandboxes')];
    gateway.listen(0, '127.0.0.1');
    closed.listen(0, '::');
    await Promise.all([once(gateway, 'listening'), once(closed, 'listening')]);
    return new MachineServers(gateway, closed);
  }

  get gatewayPort(): number {
    return portOf(this.gateway);
  }

  /** The closed server at each address of the machine and at the given ones, and private addresses elsewhere. */
  forbiddenAddresses(more: readonly string[]): readonly Address[] {
    // A sandbox would reach a link-local address over its only interface.
    const reached = (address: string) => (address.startsWith('fe80:') ? `${address}%eth0` : address);
    const own = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => reached(address)));
    const elsewhere = ['169.254.169.254', '10.255.0.1', '172.16.0.1', '192.168.0.1', '100.100.100.200', '198.18.0.1'];
    return [
      ...[...new Set([...own, ...more])].map(host => ({ host, port: portOf(this.closed) })),
      ...elsewhere.map(host => ({ host, port: 80 })),
      { host: '127.0.0.1', port: this.gatewayPort },
    ];
  }

  stop(): void {
    for (const server of [this.gateway, this.closed]) {
      server.close();
      server.closeAllConnections();
    }
  }
}

const serverOf = (text: string): Server => createServer((_, response) => response.end(text));

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
