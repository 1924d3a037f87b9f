import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Agent } from 'undici';
import type { Answer } from '../../deliveries/endpoint-response.js';
import type { EndpointCaller, SignedCall } from '../../deliveries/ports.js';
import { guardedLookup, isPublicAddress, literalAddress, PrivateAddressError } from './public-address.js';
import { Deadlines } from './deadlines.js';
import { EndpointResponse } from './response-handler.js';

/** For everything: DNS, connect, TLS, headers and body. */
const DEADLINE_MS = 10_000;
const MOST_TARGETS = 1_000;

/** A URL, taken apart and judged once. */
interface Target {
  readonly origin: string;
  readonly path: string;
  /** Literal addresses skip the lookup and are judged here. */
  readonly refusal: Error | undefined;
}

/** Calls endpoints over HTTP. Follows no redirect and reads no more of an answer than it keeps. */
@Injectable()
export class HttpEndpointCaller implements EndpointCaller, OnModuleDestroy {
  private readonly agent: Agent;
  private readonly deadlines: Deadlines;
  private readonly targets = new Map<string, Target>();

  /** Connections of one origin are not bounded here: endpoints that share a host must not wait for each other. */
  constructor(
    private readonly allowPrivate: boolean,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    this.deadlines = new Deadlines(deadlineMs);
    this.agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      // The deadline is for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: allowPrivate ? { timeout: deadlineMs } : { timeout: deadlineMs, lookup: guardedLookup },
    });
  }

  call(call: SignedCall): Promise<Answer> {
    return new Promise(resolve => {
      const response = new EndpointResponse(this.deadlineMs, answer => {
        this.deadlines.delete(response);
        resolve(answer);
      });
      this.deadlines.add(response);
      try {
        this.send(call, response);
      } catch (error) {
        response.fail(error);
      }
    });
  }

  private send({ url, body, secret, nowS }: SignedCall, response: EndpointResponse): void {
    const { origin, path, refusal } = this.target(url);
    if (refusal) throw refusal;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Postern-Webhooks/1',
      'x-service-timestamp': String(nowS),
      'x-service-signature': createHmac('sha256', secret).update(`${nowS}.${body}`).digest('hex'),
    };
    this.agent.dispatch({ origin, path, method: 'POST', headers, body }, response);
  }

  private target(url: string): Target {
    const known = this.targets.get(url);
    if (known) return known;
    const parsed = new URL(url);
    const address = this.allowPrivate ? undefined : literalAddress(parsed);
    const target = {
      origin: parsed.origin,
      path: `${parsed.pathname}${parsed.search}`,
      refusal: address && !isPublicAddress(address) ? new PrivateAddressError(address, address) : undefined,
    };
    if (this.targets.size >= MOST_TARGETS) this.targets.clear();
    this.targets.set(url, target);
    return target;
  }

  async onModuleDestroy(): Promise<void> {
    await this.agent.close();
  }
}
