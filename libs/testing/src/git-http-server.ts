import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface GitHttpServer {
  readonly url: string;
  readonly requests: string[];
  /** The values of the header Authorization, in the order of the requests that had one. */
  readonly authorizations: string[];
  stop(): Promise<void>;
}

/** The credentials that the server accepts; no authentication if absent. */
export interface BasicAccess {
  readonly username: string;
  readonly password: string;
  /** Called after a successful authentication. */
  readonly onEntry?: () => void;
}

export interface GitHttpServerOptions {
  readonly access?: BasicAccess;
  /** A certificate and its key in PEM; the server speaks HTTPS with it. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Serves repositories over HTTP by `git http-backend`. */
export const startGitHttpServer = async (
  root: string,
  { access, tls }: GitHttpServerOptions = {},
): Promise<GitHttpServer> => {
  const requests: string[] = [];
  const authorizations: string[] = [];
  const answer: RequestListener = (request, response) => {
    const { authorization } = request.headers;
    requests.push(request.url ?? '');
    if (authorization !== undefined) authorizations.push(authorization);
    const isRefused = access !== undefined && authorization !== basic(access);
    if (!isRefused) access?.onEntry?.();
    if (isRefused) refuse(authorization, response);
    else if (request.url?.startsWith('/private')) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    else if (request.url?.startsWith('/moved')) response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else backend(root, request, response);
  };
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    authorizations,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** RFC 7617. */
const basic = ({ username, password }: BasicAccess): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Echoes the credentials, like a careless server. */
const refuse = (authorization: string | undefined, response: ServerResponse): void => {
  response.writeHead(401, { 'www-authenticate': 'Basic realm="git"', 'content-type': 'text/plain' });
  response.end(`refused: ${authorization ?? 'nothing was sent'}\n`);
};

/** RFC 3875. */
const backend = (root: string, request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    },
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer
      .toString('latin1', 0, end)
      .split('\r\n')
      .map(line => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(answer.subarray(end + 4));
  });
};
