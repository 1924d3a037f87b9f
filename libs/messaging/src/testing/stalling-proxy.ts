import { connect, createServer, type Socket } from 'node:net';

export interface StallingProxy {
  readonly url: string;
  /** Holds back data of the next client until the server closes the connection, like a stopped client process. */
  stallNext(): void;
  /** How many clients were held back until the server closed the connection. */
  readonly stalled: number;
  stop(): Promise<void>;
}

/** A TCP proxy in front of a server. */
export const startStallingProxy = async (target: string): Promise<StallingProxy> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let stalling = false;
  let stalled = 0;
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname);
    const holds = { back: false };
    upstream.on('connect', () => {
      holds.back = stalling;
      stalling = false;
      client.on('data', chunk => holds.back || upstream.write(chunk));
    });
    upstream.on('data', chunk => client.write(chunk));
    upstream.on('close', () => {
      if (holds.back) stalled += 1;
      client.destroy();
    });
    client.on('close', () => upstream.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `nats://127.0.0.1:${address.port}`,
    stallNext: () => {
      stalling = true;
    },
    get stalled() {
      return stalled;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
};
