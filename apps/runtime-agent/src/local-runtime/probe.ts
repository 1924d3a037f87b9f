import { request } from 'node:http';
import type { Connected, InstanceConnections } from '@postern/load-balancer-client';

export interface ProbeTarget {
  /** The IPv4 address of the instance. */
  readonly host: string;
  readonly port: number;
  /** The path of a GET request; undefined if an accepted connection is enough. */
  readonly path: string | undefined;
}

/** Undefined on success; otherwise a failure message for users. */
export type ProbeAnswer = string | undefined;

/** The message for an instance that listens on other ports than PORT. */
export const wrongPort = (ports: string, port: number): string =>
  `listens on port ${ports}, not on PORT ${port}. Make it listen on the port in the environment variable PORT.`;

export const isWrongPort = (answer: ProbeAnswer): boolean => /^listens on port .*, not on PORT /.test(answer ?? '');

/** Probes an instance over the port that the load balancer uses. Never throws. */
export const probe = (
  connections: Pick<InstanceConnections, 'open'>,
  target: ProbeTarget,
  timeoutMs: number,
): Promise<ProbeAnswer> =>
  target.path === undefined
    ? probeConnection(connections, target, timeoutMs)
    : probePath(connections, target, target.path, timeoutMs);

const probeConnection = (
  connections: Pick<InstanceConnections, 'open'>,
  target: ProbeTarget,
  timeoutMs: number,
): Promise<ProbeAnswer> =>
  new Promise(resolve => {
    connections.open(target, timeoutMs, (error, socket) => {
      socket?.destroy();
      if (error?.code === 'ETIMEDOUT') resolve(`no connection within ${timeoutMs / 1_000} s`);
      else resolve(error ? describe(error) : undefined);
    });
  });

const probePath = (
  connections: Pick<InstanceConnections, 'open'>,
  target: ProbeTarget,
  path: string,
  timeoutMs: number,
): Promise<ProbeAnswer> =>
  new Promise(resolve => {
    const headers = { 'user-agent': 'postern-probe', connection: 'close' };
    const { host, port } = target;
    const outgoing = request({
      ...{ host, port, path, headers },
      createConnection: (_options, opened) => {
        connections.open(target, timeoutMs, opened as Connected);
        return undefined;
      },
    });
    const deadline = setTimeout(() => answer(`GET ${path} did not answer within ${timeoutMs / 1_000} s`), timeoutMs);
    const answer = (result: ProbeAnswer) => {
      clearTimeout(deadline);
      resolve(result);
      outgoing.destroy();
    };
    outgoing.once('response', ({ statusCode = 0 }) =>
      answer(statusCode >= 200 && statusCode < 400 ? undefined : `GET ${path} answered ${statusCode}`),
    );
    // Destroying a request after its response emits another error.
    outgoing.on('error', error => answer(describe(error)));
    outgoing.end();
  });

const describe = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'ECONNREFUSED') return 'connection refused';
  if (error.code === 'ECONNRESET') return 'connection reset';
  return error.message;
};
