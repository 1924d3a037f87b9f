import { Agent, type Dispatcher } from 'undici';
import { Deadlines } from './deadlines.js';
import type { EndpointResponse } from './endpoint-response.js';
import { NoPublicAddress, type OutboundGuard } from './outbound-guard.js';
import { literalAddress } from './public-address.js';
import { ResponseHandler } from './response-handler.js';

/** For the whole request: DNS, connect, TLS, headers and body. */
const TIMEOUT_MS = 10_000;
const MAX_CACHED_TARGETS = 1_000;

export interface EndpointRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Asked at the last moment, when the connection is ready. If it returns false, the response is `notSent`. */
  readonly maySend?: (() => boolean) | undefined;
}

export interface EndpointHttpClientOptions {
  readonly timeoutMs?: number | undefined;
  /** Certificates to trust instead of those of the system; for tests. */
  readonly ca?: string | undefined;
}

/** A parsed and checked URL. */
interface Target {
  readonly origin: string;
  readonly path: string;
  /** A literal private address, which no DNS lookup would catch. */
  readonly refusal: Error | undefined;
}

/** Sends requests to endpoints that users choose. Follows no redirects and reads no more of a response than it keeps. */
export class EndpointHttpClient {
  readonly #agent: Agent;
  readonly #deadlines: Deadlines;
  readonly #timeoutMs: number;
  readonly #targets = new Map<string, Target>();

  /** Connections per origin are not limited, because endpoints on one host must not wait for each other. */
  constructor(
    private readonly guard: OutboundGuard,
    { timeoutMs = TIMEOUT_MS, ca }: EndpointHttpClientOptions = {},
  ) {
    this.#timeoutMs = timeoutMs;
    this.#deadlines = new Deadlines(timeoutMs);
    this.#agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      // The deadline of the request covers both phases.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: timeoutMs, lookup: guard.lookup, ...(ca !== undefined && { ca }) },
    });
  }

  /** Never rejects: a failed request is a response with `error`. */
  post(request: EndpointRequest): Promise<EndpointResponse> {
    return this.send('POST', request);
  }

  /** Like `post`, with another method. */
  send(method: Dispatcher.HttpMethod, request: EndpointRequest): Promise<EndpointResponse> {
    return new Promise(resolve => {
      const handler = new ResponseHandler(this.#timeoutMs, request.maySend, response => {
        this.#deadlines.delete(handler);
        resolve(response);
      });
      this.#deadlines.add(handler);
      try {
        this.#dispatch(method, request, handler);
      } catch (error) {
        handler.fail(error);
      }
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  #dispatch(method: Dispatcher.HttpMethod, { url, headers, body }: EndpointRequest, handler: ResponseHandler): void {
    const { origin, path, refusal } = this.#targetOf(url);
    if (refusal) throw refusal;
    this.#agent.dispatch({ origin, path, method, headers, body }, handler);
  }

  #targetOf(url: string): Target {
    const known = this.#targets.get(url);
    if (known) return known;
    const parsed = new URL(url);
    const address = literalAddress(parsed);
    const target = {
      origin: parsed.origin,
      path: `${parsed.pathname}${parsed.search}`,
      refusal: address && !this.guard.allows(address) ? new NoPublicAddress(address) : undefined,
    };
    if (this.#targets.size >= MAX_CACHED_TARGETS) this.#targets.clear();
    this.#targets.set(url, target);
    return target;
  }
}
