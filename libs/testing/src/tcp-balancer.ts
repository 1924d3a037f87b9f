import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** One address for the replicas of a TCP listener, like a Kubernetes Service: new connections go to the added replicas. */
export class TcpBalancer {
  private readonly replicas: number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<TcpBalancer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const balancer = new TcpBalancer(server);
    server.on('connection', socket => {
      const port = balancer.replicas[balancer.next++ % balancer.replicas.length];
      if (port === undefined) return void socket.destroy();
      const replica = connect(port, '127.0.0.1');
      socket.pipe(replica).pipe(socket);
      socket.on('error', () => replica.destroy());
      replica.on('error', () => socket.destroy());
    });
    return balancer;
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
}
