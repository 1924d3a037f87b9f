import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Timeouts } from '../settings.js';
import type { BackendTarget, Exchange } from './backend-target.js';
import { CLOSED, type ErrorPage, failurePage, NO_BACKEND, sendErrorPage } from './error-page.js';
import { earlyHints, type RequestTarget, requestHeaders, responseHeaders, trailersOf } from './forwarded-headers.js';
import { hasBody, LazyBody } from './lazy-body.js';
import type { Route } from './route.js';

export interface ProxyContext {
  readonly route: Route;
  readonly target: RequestTarget;
  readonly isFromTrustedProxy: boolean;
  /** Identifies the request for the backend and the client. */
  readonly requestId: string;
  /** Whether to close the connection after this response, because the load balancer is stopping. */
  readonly isLast: () => boolean;
  /** Called once when the request is sent to a backend, so that its bytes are attributed to the service. */
  readonly onProxied: () => void;
}

const MAX_ATTEMPTS = 3;
/** Methods that can be repeated safely (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
/** The backend's system reset the connection, as it does when a server closes it without having read the request. */
const UNREAD = new Set(['ECONNRESET', 'EPIPE']);
/** A close that was sent before the request arrives within this time after it (RFC 9112 §9.3.1). */
const CLOSED_AT_ONCE_MS = 100;
/** Time for a client that is still uploading to receive an early response. */
const LINGER_MS = 1_000;

/** A request forwarded to a backend and its response, both streamed at the pace of the slower side. */
export class ProxiedRequest implements Exchange {
  readonly #headers: string[];
  readonly #hasBody: boolean;
  readonly #startedAt = performance.now();
  readonly #failed = new Set<BackendTarget>();
  #attempts = 0;
  #sentAt = 0;
  #body: LazyBody | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #clientDisconnected = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly context: ProxyContext,
    private readonly timeouts: Timeouts,
  ) {
    this.#headers = requestHeaders(request, context);
    this.#hasBody = hasBody(request);
  }

  start(): void {
    this.request.on('error', () => undefined);
    this.response.on('error', () => undefined);
    this.response.on('drain', () => this.#controller?.resume());
    this.response.on('close', () => {
      if (this.response.writableFinished) return;
      this.#clientDisconnected = true;
      this.#controller?.abort(new Error('the client has gone'));
    });
    if (this.#hasBody) this.request.once('end', () => this.#awaitResponse());
    else this.#awaitResponse();
    this.context.route.countRequest();
    if (this.context.route.closed === 'asleep') void this.#attemptAwake();
    else this.#attempt(false);
  }

  async #attemptAwake(): Promise<void> {
    if (await this.context.route.untilAwake(this.timeouts.headersMs, this.response)) this.#attempt(false);
  }

  abort(): void {
    this.response.destroy();
    this.#controller?.abort(new Error('the backend is being stopped'));
  }

  /** Nothing passes over the client's connection until the response begins, which may take longer than idle ones may. */
  #awaitResponse(): void {
    if (!this.response.headersSent) this.request.socket.setTimeout(this.#longestWaitMs);
  }

  get #longestWaitMs(): number {
    const { connectMs, headersMs, idleMs } = this.timeouts;
    const longest = Math.max(headersMs, ...this.context.route.active.map(backend => backend.headersMs));
    return Math.max(idleMs, longest + MAX_ATTEMPTS * connectMs);
  }

  #attempt(mayRepeat: boolean): void {
    const { route, target, onProxied } = this.context;
    const backend = route.choose(this.#failed, mayRepeat);
    if (!backend) {
      this.#sendErrorPage(route.closed ? CLOSED[route.closed] : NO_BACKEND);
      return;
    }
    if (this.#attempts === 0) onProxied();
    this.#attempts += 1;
    this.#controller = undefined;
    this.#body = this.#hasBody ? new LazyBody(this.request) : undefined;
    this.#body?.on('error', () => undefined);
    backend.enter(this);
    backend.pool.dispatch(
      {
        path: target.path,
        method: this.request.method ?? 'GET',
        headers: this.#headers,
        body: this.#body ?? null,
      },
      this.#handler(backend),
    );
  }

  #handler(backend: BackendTarget): Dispatcher.DispatchHandler {
    const { response } = this;
    return {
      onRequestStart: controller => {
        this.#controller = controller;
        this.#sentAt = performance.now();
        if (this.#clientDisconnected) controller.abort(new Error('the client has gone'));
      },
      onResponseStart: (controller, status, _parsed, statusText) => {
        if (status < 200) {
          if (status === 103) this.#sendEarlyHints(asText(controller.rawHeaders));
          return;
        }
        backend.onResponse();
        this.request.socket.setTimeout(this.timeouts.idleMs);
        const { httpVersion } = this.request;
        const headers = responseHeaders(asText(controller.rawHeaders), this.context.requestId, httpVersion === '1.1');
        if (this.context.isLast()) headers.push('Connection', 'close');
        response.writeHead(status, statusText ?? '', headers);
        this.#countAnswer(status);
        // Sends the head alone if the body is delayed; otherwise both share a packet.
        process.nextTick(() => {
          if (!response.writableEnded && !response.destroyed) response.flushHeaders();
        });
      },
      onResponseData: (controller, chunk) => {
        if (!response.write(chunk)) controller.pause();
      },
      onResponseEnd: (_controller, trailers) => {
        backend.leave(this);
        response.addTrailers(trailersOf(trailers));
        this.#closeUnreadUpload();
        response.end();
      },
      onResponseError: (_controller, error) => this.#onFailure(backend, error),
    };
  }

  #onFailure(backend: BackendTarget, error: NodeJS.ErrnoException): void {
    backend.leave(this);
    if (this.#clientDisconnected || this.response.destroyed) return;
    // Breaks the client's connection, so that the client detects the incomplete response.
    if (this.response.headersSent) {
      this.response.destroy();
      return;
    }
    const nothingSent = this.#controller === undefined;
    if (nothingSent) backend.onConnectFailed();
    this.#failed.add(backend);
    // A request that was read may have been executed: it is not repeated, whatever its method.
    const mayRepeat = IDEMPOTENT.has(this.request.method ?? '') && !this.#body?.begun;
    const wasUnread = mayRepeat && (UNREAD.has(error.code ?? '') || this.#metItsEnd(error));
    const anotherIsLeft = this.context.route.choose(this.#failed, false) !== undefined;
    if (this.#attempts < MAX_ATTEMPTS && ((nothingSent && anotherIsLeft) || wasUnread)) this.#attempt(wasUnread);
    else this.#sendErrorPage(failurePage(error.code));
  }

  /** Whether the instance was already closing the connection, which had been kept open, when the request was sent. */
  #metItsEnd({ code }: NodeJS.ErrnoException): boolean {
    return code === 'UND_ERR_SOCKET' && performance.now() - this.#sentAt < CLOSED_AT_ONCE_MS;
  }

  /** HTTP/1.0 has no interim responses. */
  #sendEarlyHints(raw: readonly string[]): void {
    const hints = earlyHints(raw);
    if (this.request.httpVersion !== '1.1' || !hints || this.response.headersSent) return;
    try {
      this.response.writeEarlyHints(hints);
    } catch {
      // A link that Node.js does not accept: only the hint is lost.
    }
  }

  #sendErrorPage(page: ErrorPage): void {
    this.#closeUnreadUpload();
    this.response.setHeader('X-Request-Id', this.context.requestId);
    sendErrorPage(this.request, this.response, page);
    this.#countAnswer(this.response.statusCode);
  }

  #countAnswer(status: number): void {
    this.context.route.countAnswer(status, performance.now() - this.#startedAt);
  }

  /**
   * Closes the connection after a response that came before the end of the upload, because the rest of the upload is
   * not read.
   */
  #closeUnreadUpload(): void {
    const { request, response } = this;
    if (!this.#hasBody || request.complete) return;
    response.once('finish', () => {
      request.resume();
      const { socket } = request;
      const linger = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(linger));
    });
  }
}

const asText = (raw: Dispatcher.DispatchController['rawHeaders']): string[] =>
  Array.isArray(raw) ? raw.map(part => (typeof part === 'string' ? part : part.toString('latin1'))) : [];
