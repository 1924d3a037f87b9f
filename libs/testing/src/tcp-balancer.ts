import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * One address for the replicas of a TCP listener, like a Kubernetes Service: each new connection goes to the next one of the added
 * replicas that accepts it.
 */
export class TcpBalancer {
  private readonly replicas: number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', socket => this.forward(socket, this.replicas.length));
  }

  static async open(): Promise<TcpBalancer> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpBalancer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  add(port: number): void {
    this.replicas.push(port);
  }

  remove(port: number): void {
    this.replicas.splice(this.replicas.indexOf(port), 1);
  }

  close(): void {
    this.server.close();
  }

  private forward(socket: Socket, attempts: number): void {
    const port = this.replicas[this.next++ % this.replicas.length];
    if (port === undefined || attempts === 0) return void socket.destroy();
    const replica = connect({ port, host: '127.0.0.1', noDelay: true });
    const another = () => this.forward(socket, attempts - 1);
    replica.once('error', another);
    replica.once('connect', () => {
      replica.off('error', another);
      socket.setNoDelay(true);
      socket.pipe(replica).pipe(socket);
      socket.on('error', () => replica.destroy());
      socket.on('close', () => replica.destroy());
      replica.on('error', () => socket.destroy());
      replica.on('close', () => socket.destroy());
    });
  }
}
