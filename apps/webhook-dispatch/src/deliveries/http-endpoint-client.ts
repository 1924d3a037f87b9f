import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { EndpointHttpClient, type EndpointResponse, OutboundGuard, signedHeaders } from '@postern/outbound';
import { EndpointClient, type SignedRequest } from './ports.js';

/** Sends signed requests over HTTP. */
@Injectable()
export class HttpEndpointClient extends EndpointClient implements OnModuleDestroy {
  readonly #client: EndpointHttpClient;

  constructor(guard: OutboundGuard, @Optional() timeoutMs?: number) {
    super();
    this.#client = new EndpointHttpClient(guard, { timeoutMs });
  }

  override send({ url, body, secret, timestampS, maySend }: SignedRequest): Promise<EndpointResponse> {
    return this.#client.post({ url, body, headers: signedHeaders(secret, body, timestampS), maySend });
  }

  onModuleDestroy(): Promise<void> {
    return this.#client.close();
  }
}
