import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Agent, request } from 'undici';
import type { Answer } from '../../domain/answer.js';
import type { EndpointCaller, SignedCall } from '../../ports.js';
import { guardedLookup, isPublicAddress, literalAddress, PrivateAddressError } from './address-guard.js';

/** For everything: DNS, connect, TLS, headers and body. */
const DEADLINE_MS = 10_000;
const RESPONSE_HEAD_BYTES = 16 * 1024;

/** Calls endpoints over HTTP. Follows no redirect and reads no more of an answer than it keeps. */
@Injectable()
export class HttpEndpointCaller implements EndpointCaller, OnModuleDestroy {
  private readonly agent: Agent;

  /** Connections of one origin are not bounded here: endpoints that share a host must not wait for each other. */
  constructor(
    private readonly allowPrivate: boolean,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    this.agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      connect: allowPrivate ? {} : { lookup: guardedLookup },
    });
  }

  async call({ url, body, secret, nowS }: SignedCall): Promise<Answer> {
    const began = performance.now();
    const elapsed = () => Math.round(performance.now() - began);
    const timestamp = String(nowS);
    const signal = AbortSignal.timeout(this.deadlineMs);
    try {
      this.refuseLiteral(url);
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        signal,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Postern-Webhooks/1',
          'x-service-timestamp': timestamp,
          'x-service-signature': createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'),
        },
        body,
      });
      const responseHead = await this.headOf(response.body, signal);
      return { status: response.statusCode, responseHead, latencyMs: elapsed() };
    } catch (error) {
      const reason = signal.aborted ? `no complete answer within ${this.deadlineMs / 1000} s` : describe(error);
      return { error: reason, latencyMs: elapsed() };
    }
  }

  /** Literal addresses skip the lookup and are judged here. */
  private refuseLiteral(url: string): void {
    if (this.allowPrivate) return;
    const address = literalAddress(new URL(url));
    if (address && !isPublicAddress(address)) throw new PrivateAddressError(address, address);
  }

  private async headOf(body: AsyncIterable<Buffer> & { destroy(): unknown }, signal: AbortSignal): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= RESPONSE_HEAD_BYTES) break;
    }
    signal.throwIfAborted();
    // PostgreSQL's text knows no NUL.
    return Buffer.concat(chunks).subarray(0, RESPONSE_HEAD_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
  }

  async onModuleDestroy(): Promise<void> {
    await this.agent.close();
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return [code, error.message].filter(Boolean).join(': ').slice(0, 500);
};
