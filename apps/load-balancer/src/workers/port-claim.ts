import { type AddressInfo, createServer, isIPv4, type ListenOptions, type Server } from 'node:net';

/** A free port that no other load balancer of this machine takes until it is released. */
export interface PortClaim {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Claims a port by binding an address in the abstract socket namespace; otherwise SO_REUSEPORT would share it with
 * another load balancer of the same user.
 * @throws with code EADDRINUSE if another process uses the port.
 */
export const claimPort = async (port: number, host: string): Promise<PortClaim> => {
  const probe = await listening({ port, host });
  const found = (probe.address() as AddressInfo).port;
  try {
    const lock = await listening({ path: `\0postern-load-balancer-${found}` });
    return { port: found, release: () => closed(lock) };
  } finally {
    await closed(probe);
  }
};

/**
 * The address at which the standby listens: connections to `host` arrive there only while no process listens on `host`,
 * because Linux prefers IPv4 sockets to IPv6 sockets of the same port
 * (tools/testing/selftests/net/reuseport_dualstack.c). Without such an address, both workers share `host`.
 */
export const standbyHostOf = async (host: string): Promise<string> => {
  if (!isIPv4(host)) return host;
  const mapped = `::ffff:${host}`;
  try {
    await closed(await listening({ port: 0, host: mapped }));
    return mapped;
  } catch {
    return host;
  }
};

/** Whether the error means that the port is unavailable. */
export const isTaken = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || code === 'EACCES';
};

const listening = (options: ListenOptions): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy());
    server.once('error', reject);
    server.listen(options, () => resolve(server));
  });

const closed = (server: Server): Promise<void> => new Promise(resolve => server.close(() => resolve()));
