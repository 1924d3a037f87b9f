import { connect, createServer, type Socket } from 'node:net';

export interface SilencingProxy {
  /** The URL of the target through this proxy. */
  readonly url: string;
  /**
   * Drops everything that open connections carry, without closing them: a firewall that forgot its flows, or a machine
   * without power. New connections work, unless `withNew` is set.
   */
  silence(options?: { readonly withNew?: boolean }): void;
  /** Connections opened from now on work again; silenced ones stay silent. */
  heal(): void;
  /** Connections opened from now on reach another server, as when an address moves to a standby. */
  moveTo(target: string): void;
  stop(): Promise<void>;
}

export interface SilencingProxyOptions {
  /** Changes the first bytes that a client sends, as a proxy that rewrites a protocol's greeting does. */
  readonly rewriteFirst?: (chunk: Buffer) => Buffer;
}

/** A TCP proxy that can stop forwarding without closing anything. */
export const startSilencingProxy = async (
  target: string,
  { rewriteFirst = chunk => chunk }: SilencingProxyOptions = {},
): Promise<SilencingProxy> => {
  let targetUrl = new URL(target);
  const sockets = new Set<Socket>();
  let generation = 0;
  let isSilentForNew = false;
  const server = createServer(client => {
    const born = generation;
    const isSilent = () => born !== generation || isSilentForNew;
    const upstream = connect(Number(targetUrl.port), targetUrl.hostname);
    let isFirst = true;
    client.on('data', chunk => {
      if (isSilent()) return;
      upstream.write(isFirst ? rewriteFirst(chunk) : chunk);
      isFirst = false;
    });
    upstream.on('data', chunk => isSilent() || client.write(chunk));
    client.on('close', () => isSilent() || upstream.destroy());
    upstream.on('close', () => isSilent() || client.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    url: url.href,
    silence: ({ withNew = false } = {}) => {
      generation += 1;
      isSilentForNew = withNew;
    },
    heal: () => {
      isSilentForNew = false;
    },
    moveTo: other => {
      targetUrl = new URL(other);
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
};
