import { request } from 'node:http';
import type { Connected, InstanceConnections } from '@postern/load-balancer-client';

export interface ProbeTarget {
  /** The IPv4 address of the instance. */
  readonly host: string;
  readonly port: number;
  /** The host of the request, as applications that serve only known hosts expect it; undefined for that of the instance. */
  readonly publicHost: string | undefined;
  readonly request: ProbeRequest;
}

/** An accepted connection is enough, or a GET request must get a status below `limit` that is not in `except`. */
export type ProbeRequest =
  | 'connection'
  | { readonly path: string; readonly limit: number; readonly except?: readonly number[] };

/**
 * What is asked: the health check path, which must answer below 400. Without one, a new instance must answer `/` below
 * 500, and must accept connections from then on.
 */
export const probeRequest = (healthCheckPath: string | undefined, isNew: boolean): ProbeRequest => {
  if (healthCheckPath !== undefined) return { path: healthCheckPath, limit: 400 };
  return isNew ? { path: '/', limit: 500 } : 'connection';
};

/** What a debugger, a port for HTTPS (400) or one for WebSockets (426) answers. */
const NOT_FOR_VISITORS = [400, 426];

/** What another port than PORT must answer to get the requests. */
export const otherPortRequest = (healthCheckPath: string | undefined): ProbeRequest =>
  healthCheckPath === undefined
    ? { path: '/', limit: 500, except: NOT_FOR_VISITORS }
    : probeRequest(healthCheckPath, true);

/** Undefined on success; otherwise a failure message for users. */
export type ProbeAnswer = string | undefined;

/** The message for an instance that listens on other ports than PORT, with what those that were tried answered. */
export const wrongPort = (
  ports: readonly number[],
  port: number,
  failures: ReadonlyMap<number, ProbeAnswer> = new Map(),
): string => {
  const tried = [...failures].map(([each, failure]) => `port ${each}: ${failure}`).join('; ');
  const choice = ports.length > 1 ? 'one of them' : ports[0];
  return `listens on port ${ports.join(', ')}, not on PORT ${port}${tried && ` (${tried})`}. Make it listen on the port in the environment variable PORT, or set the port of the web service to ${choice}.`;
};

/** The message for the log when another port than PORT gets the requests. */
export const listensElsewhere = (found: number, port: number): string =>
  `Listens on port ${found}, not on PORT ${port}: requests go to ${found}. Set the port of the web service to ${found} to make this permanent`;

export const isWrongPort = (answer: ProbeAnswer): boolean => /^listens on port .*, not on PORT /.test(answer ?? '');

/** Probes an instance over the port that the load balancer uses. Never throws. */
export const probe = (
  connections: Pick<InstanceConnections, 'open'>,
  target: ProbeTarget,
  timeoutMs: number,
): Promise<ProbeAnswer> =>
  target.request === 'connection'
    ? probeConnection(connections, target, timeoutMs)
    : probePath(connections, target, target.request, timeoutMs);

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

/** An application that serves only other hosts refuses the request, some with an error of the server. */
const statusMessage = (path: string, status: number, host: string): string =>
  `GET ${path} answered ${status} to the Host ${host}`;

const probePath = (
  connections: Pick<InstanceConnections, 'open'>,
  target: ProbeTarget,
  { path, limit, except }: Exclude<ProbeRequest, string>,
  timeoutMs: number,
): Promise<ProbeAnswer> =>
  new Promise(resolve => {
    const { host, port, publicHost = `${host}:${port}` } = target;
    const headers = { host: publicHost, 'user-agent': 'postern-probe', connection: 'close' };
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
      answer(
        statusCode >= 200 && statusCode < limit && !except?.includes(statusCode)
          ? undefined
          : statusMessage(path, statusCode, headers.host),
      ),
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
