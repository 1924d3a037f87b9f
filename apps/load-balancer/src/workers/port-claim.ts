import { lstat, mkdir, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, isIPv4, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A free port that no other load balancer of this machine takes until it is released. */
export interface PortClaim {
  readonly port: number;
  release(): Promise<void>;
}

/** The folder of the claims of a user, which no other user may enter. */
export const claimsFolder = (uid = process.getuid?.() ?? 0): string =>
  join(uid === 0 && process.platform === 'linux' ? '/run' : tmpdir(), `postern-load-balancers-${uid}`);

/**
 * Claims a port by listening on a socket in a folder of this user; otherwise SO_REUSEPORT would share it with another load
 * balancer of the same user.
 * @throws with code EADDRINUSE if another process uses the port.
 */
export const claimPort = async (port: number, host: string): Promise<PortClaim> => {
  const folder = await ownFolder(claimsFolder());
  const probe = await listening({ port, host });
  const found = (probe.address() as AddressInfo).port;
  try {
    const lock = await listeningAlone(join(folder, String(found)));
    return { port: found, release: () => closed(lock) };
  } finally {
    await closed(probe);
  }
};

/** @throws if another user made the folder, or may enter it. */
const ownFolder = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(folder);
  const isOwn = uid === (process.getuid?.() ?? uid) && (mode & 0o170_077) === 0o040_000;
  if (!isOwn)
    throw new Error(`${folder} must be a folder that only the user of the load balancer may enter; delete it`);
  return folder;
};

/** Replaces the socket of a load balancer that was killed, to which nobody answers. */
const listeningAlone = async (path: string): Promise<Server> => {
  try {
    return await listening({ path });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await isAnswered(path))) throw error;
    await rm(path, { force: true });
    return listening({ path });
  }
};

const isAnswered = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(path);
    const answer = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });

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
