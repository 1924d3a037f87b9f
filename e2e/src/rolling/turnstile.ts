import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** One address for the replicas of a TCP listener, as a Kubernetes Service is: new connections go to those that are in. */
export class Turnstile {
  private readonly replicas: number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Turnstile> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const turnstile = new Turnstile(server);
    server.on('connection', socket => {
      const port = turnstile.replicas[turnstile.next++ % turnstile.replicas.length];
      if (port === undefined) return void socket.destroy();
      const replica = connect(port, '127.0.0.1');
      socket.pipe(replica).pipe(socket);
      socket.on('error', () => replica.destroy());
      replica.on('error', () => socket.destroy());
    });
    return turnstile;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  admit(port: number): void {
    this.replicas.push(port);
  }

  dismiss(port: number): void {
    this.replicas.splice(this.replicas.indexOf(port), 1);
  }

  close(): void {
    this.server.close();
  }
}
