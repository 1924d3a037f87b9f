import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { IN_NAMESPACES } from './firewall.js';

const PORT = 53;
const HEADER_BYTES = 12;
const SILENT = 'silent';
/** A reply with recursion; the code NXDOMAIN. */
const NO_SUCH_NAME = [0x81, 0x83];

/** The name server of this network: it knows no name, and does not answer for names with the label `silent`. */
export class SilentNameServer {
  private constructor(private readonly socket: Socket) {}

  /** Replaces resolv.conf for the processes of this run. @returns undefined without namespaces, where that would affect others. */
  static async start(resolvConf: string): Promise<SilentNameServer | undefined> {
    if (!IN_NAMESPACES) return undefined;
    const socket = createSocket('udp4');
    socket.on('message', (query, { port, address }) => {
      if (query.includes(SILENT, HEADER_BYTES, 'latin1')) return;
      const reply = Buffer.from(query);
      reply.set(NO_SUCH_NAME, 2);
      socket.send(reply, port, address);
    });
    socket.bind(PORT, '127.0.0.1');
    await once(socket, 'listening');
    writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
    execFileSync('mount', ['--bind', resolvConf, '/etc/resolv.conf'], { stdio: 'pipe' });
    return new SilentNameServer(socket);
  }

  /** A host whose name server does not answer. */
  hostOf(number: number): string {
    return `hooks-${number}.${SILENT}.example.com`;
  }

  async stop(): Promise<void> {
    this.socket.close();
    execFileSync('umount', ['--lazy', '/etc/resolv.conf'], { stdio: 'pipe' });
  }
}
