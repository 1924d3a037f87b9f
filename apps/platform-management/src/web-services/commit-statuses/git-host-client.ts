import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { Injectable } from '@nestjs/common';
import { literalAddress, NoPublicAddress, OutboundGuard } from '@postern/outbound';
import type { GitHostRequest } from './git-host.js';

/** For the whole request: DNS, connect, TLS, headers and body. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

export interface GitHostResponse {
  readonly status: number;
  /** At most 64 KiB. */
  readonly body: string;
}

/** Sends requests to the APIs of Git hosts at public addresses, over HTTPS. Follows no redirects, which could lead elsewhere. */
@Injectable()
export class GitHostClient {
  constructor(private readonly guard: OutboundGuard) {}

  /** @throws if the host does not answer in time, or must not be called. */
  async send({ method, url, headers, body }: GitHostRequest): Promise<GitHostResponse> {
    const target = new URL(url);
    const isHttps = target.protocol === 'https:';
    if (!isHttps && !this.guard.allowsPrivate) throw new Error('a token is sent only over https');
    const address = literalAddress(target);
    if (address && !this.guard.allows(address)) throw new NoPublicAddress(address);
    const bytes = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const options = {
        method,
        headers: { ...headers, 'content-length': bytes.length, connection: 'close' },
        lookup: this.guard.lookup,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      };
      const request = (isHttps ? overHttps : overHttp)(target, options, response => {
        const chunks: Buffer[] = [];
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (received > MAX_BYTES) request.destroy(new Error(`the answer of ${target.host} is too long`));
          else chunks.push(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(bytes);
    });
  }
}
