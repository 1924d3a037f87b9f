import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { literalAddress, NoPublicAddress, OutboundGuard } from '@postern/outbound';
import { Agent } from 'undici';
import { Deadlines } from './deadlines.js';
import type { EndpointResponse } from './endpoint-response.js';
import { EndpointClient, type SignedRequest } from './ports.js';
import { ResponseHandler } from './response-handler.js';

/** For the whole request: DNS, connect, TLS, headers and body. */
const TIMEOUT_MS = 10_000;
const MAX_CACHED_TARGETS = 1_000;

/** A parsed and checked URL. */
interface Target {
  readonly origin: string;
  readonly path: string;
  /** A literal private address, which no DNS lookup would catch. */
  readonly refusal: Error | undefined;
}

/** Sends requests over HTTP. Follows no redirects and reads no more of a response than it keeps. */
@Injectable()
export class HttpEndpointClient extends EndpointClient implements OnModuleDestroy {
  readonly #agent: Agent;
  readonly #deadlines: Deadlines;
  readonly #targets = new Map<string, Target>();

  /** Connections per origin are not limited, because endpoints on one host must not wait for each other. */
  constructor(
    private readonly guard: OutboundGuard,
    @Optional() private readonly timeoutMs: number = TIMEOUT_MS,
  ) {
    super();
    this.#deadlines = new Deadlines(timeoutMs);
    this.#agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      // The deadline of the request covers both phases.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: timeoutMs, lookup: guard.lookup },
    });
  }

  override send(request: SignedRequest): Promise<EndpointResponse> {
    return new Promise(resolve => {
      const handler = new ResponseHandler(this.timeoutMs, response => {
        this.#deadlines.delete(handler);
        resolve(response);
      });
      this.#deadlines.add(handler);
      try {
        this.#dispatch(request, handler);
      } catch (error) {
        handler.fail(error);
      }
    });
  }

  #dispatch({ url, body, secret, timestampS }: SignedRequest, handler: ResponseHandler): void {
    const { origin, path, refusal } = this.#targetOf(url);
    if (refusal) throw refusal;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Postern-Webhooks/1',
      'x-service-timestamp': String(timestampS),
      'x-service-signature': createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex'),
    };
    this.#agent.dispatch({ origin, path, method: 'POST', headers, body }, handler);
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

  async onModuleDestroy(): Promise<void> {
    await this.#agent.close();
  }
}
