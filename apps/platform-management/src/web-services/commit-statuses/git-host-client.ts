import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import type { GitHostRequest } from './git-host.js';

export interface GitHostResponse {
  readonly status: number;
  /** At most 16 KiB. */
  readonly body: string;
}

/** Sends requests to the APIs of Git hosts at public addresses, over HTTPS. */
@Injectable()
export class GitHostClient implements OnModuleDestroy {
  readonly #http: EndpointHttpClient;

  constructor(private readonly guard: OutboundGuard) {
    this.#http = new EndpointHttpClient(guard);
  }

  /** @throws if the host does not answer in time, or must not be called. */
  async send({ method, url, headers, body }: GitHostRequest): Promise<GitHostResponse> {
    if (!url.startsWith('https:') && !this.guard.allowsPrivate) throw new Error('a token is sent only over https');
    const request = { url, headers, body: JSON.stringify(body) };
    const { status, error, responseHead = '' } = await this.#http.send(method, request);
    if (status === undefined) throw new Error(error);
    return { status, body: responseHead };
  }

  onModuleDestroy(): Promise<void> {
    return this.#http.close();
  }
}
