import { type IncomingMessage, STATUS_CODES, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Connected } from '@postern/load-balancer-client';
import type { Timeouts } from '../settings.js';
import { type BackendTarget, type Exchange, MAX_RESPONSE_HEADER_BYTES } from './backend-target.js';
import { CLOSED, type ErrorPage, failurePage, NO_BACKEND, UNREACHABLE } from './error-page.js';
import { requestHeaders, responseHeaders } from './forwarded-headers.js';
import type { ProxyContext } from './proxied-request.js';
import { GOING_AWAY, WebSocketFrames } from './websocket-frames.js';

/** Time for both sides to close once a connection is aborted. */
const CLOSE_TIMEOUT_MS = 500;

/**
 * A protocol upgrade, as used by WebSockets. After the backend's 101 response bytes are forwarded unchanged in both
 * directions; any other response is the last one of the connection, so that no unread bytes reach the backend.
 */
export class UpgradedConnection implements Exchange {
  readonly #failed = new Set<BackendTarget>();
  readonly #client: Socket;
  #backendSide: Socket | undefined;
  /** Frames from the backend, once it has switched to WebSocket. */
  #frames: WebSocketFrames | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly head: Buffer,
    private readonly context: ProxyContext,
    private readonly timeouts: Timeouts,
  ) {
    this.#client = request.socket;
  }

  start(): void {
    this.#client.on('error', () => undefined);
    this.#client.on('close', () => this.#backendSide?.destroy());
    this.#client.setTimeout(this.timeouts.idleMs, () => this.#client.destroy());
    this.context.route.countRequest();
    if (this.context.route.closed === 'asleep') void this.#attemptAwake();
    else this.#attempt();
  }

  async #attemptAwake(): Promise<void> {
    if (await this.context.route.untilAwake(this.timeouts.headersMs, this.#client)) this.#attempt();
  }

  /** Sends a WebSocket the close code "going away" (1001), so that the client reconnects. */
  abort(): void {
    const backendSide = this.#backendSide;
    backendSide?.unpipe(this.#client);
    let left = this.#frames?.payloadLeft ?? 0;
    if (left === 0 || !backendSide) {
      this.#close();
      return;
    }
    const late = setTimeout(() => this.#close(), CLOSE_TIMEOUT_MS);
    // Another frame may not begin within one: the client first gets the rest of it.
    backendSide.on('data', (chunk: Buffer) => {
      if (left === 0) return;
      this.#client.write(chunk.subarray(0, left));
      left = Math.max(0, left - chunk.length);
      if (left > 0) return;
      clearTimeout(late);
      this.#close(true);
    });
    backendSide.resume();
  }

  #close(isBetweenFrames = this.#frames?.betweenFrames): void {
    if (isBetweenFrames) this.#client.write(GOING_AWAY);
    for (const side of [this.#client, this.#backendSide]) {
      side?.end();
      setTimeout(() => side?.destroy(), CLOSE_TIMEOUT_MS).unref();
    }
  }

  #attempt(): void {
    const { route, onProxied } = this.context;
    const backend = route.choose(this.#failed, false);
    if (!backend) {
      const nothingTried = route.closed ? CLOSED[route.closed] : NO_BACKEND;
      this.#sendErrorPage(this.#failed.size > 0 ? UNREACHABLE : nothingTried);
      return;
    }
    if (this.#failed.size === 0) onProxied();
    this.#send(backend);
  }

  #send(backend: BackendTarget): void {
    const { target, requestId } = this.context;
    backend.enter(this);
    const outgoing = sendRequest({
      createConnection: (_options, opened) => {
        backend.connections.open(backend, this.timeouts.connectMs, opened as Connected);
        return undefined;
      },
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
      host: backend.host,
      port: backend.port,
      method: this.request.method,
      path: target.path,
      headers: [
        ...requestHeaders(this.request, this.context),
        'Connection',
        'Upgrade',
        'Upgrade',
        this.request.headers.upgrade ?? '',
      ],
    });
    const tooLate = () => outgoing.destroy(new LateAnswer());
    let timeout = setTimeout(tooLate, this.timeouts.connectMs);
    let connected = false;
    outgoing.on('socket', socket => {
      this.#backendSide = socket;
      if (this.#client.destroyed) socket.destroy();
      connected = true;
      clearTimeout(timeout);
      timeout = setTimeout(tooLate, backend.headersMs);
      socket.once('close', () => backend.leave(this));
    });
    outgoing.on('upgrade', (response, socket, firstBytes) => {
      clearTimeout(timeout);
      backend.onResponse();
      const kept = [...responseHeaders(response.rawHeaders, requestId, false), 'Connection', 'Upgrade'];
      this.#sendHead(response, [...kept, 'Upgrade', response.headers.upgrade ?? '']);
      if (/^websocket$/i.test(response.headers.upgrade ?? '')) this.#frames = new WebSocketFrames();
      this.#join(socket as Socket, firstBytes);
    });
    outgoing.on('response', response => {
      clearTimeout(timeout);
      backend.onResponse();
      this.#sendHead(response, [...responseHeaders(response.rawHeaders, requestId, false), 'Connection', 'close']);
      response.on('error', () => this.#client.destroy());
      response.pipe(this.#client);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timeout);
      backend.leave(this);
      if (this.#client.destroyed) return;
      if (connected) {
        this.#sendErrorPage(failurePage(error.code));
        return;
      }
      backend.onConnectFailed();
      this.#failed.add(backend);
      this.#attempt();
    });
    outgoing.end();
  }

  #join(backendSide: Socket, firstBytes: Buffer): void {
    const client = this.#client;
    backendSide.on('data', (chunk: Buffer) => this.#frames?.push(chunk));
    if (firstBytes.length > 0) {
      this.#frames?.push(firstBytes);
      client.write(firstBytes);
    }
    if (this.head.length > 0) backendSide.write(this.head);
    backendSide.on('error', () => undefined);
    backendSide.on('close', () => client.destroySoon());
    client.pipe(backendSide);
    backendSide.pipe(client);
  }

  #sendHead({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): void {
    this.#client.write(headOf(statusCode ?? 502, statusMessage, headers), 'latin1');
  }

  #sendErrorPage({ status, title, message, retryAfterSeconds }: ErrorPage): void {
    const body = Buffer.from(`${title}. ${message}\n`);
    const retry = retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)];
    const id = ['X-Request-Id', this.context.requestId];
    const headers = [
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(body.length),
      ...retry,
      ...id,
    ];
    this.#client.write(headOf(status, undefined, [...headers, 'Connection', 'close']), 'latin1');
    this.#client.end(body);
  }
}

class LateAnswer extends Error {
  override readonly name = 'LateAnswer';
  readonly code = 'ETIMEDOUT';
}

const headOf = (status: number, statusText: string | undefined, headers: readonly string[]): string => {
  let head = `HTTP/1.1 ${status} ${statusText || STATUS_CODES[status] || ''}\r\n`;
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${head}\r\n`;
};
