import { Refusal, type ReplyOf, type RequestOf, receiveProviderEvents } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DeliveryTracking } from './delivery-tracking.js';
import type { ProviderMessage } from './provider-call.js';
import { type CalledEndpoint, ProviderEndpointRepository } from './provider-endpoint-repository.js';
import { invalidSignature } from './provider-refusals.js';
import { Providers } from './providers.js';

/** Verifies a call of a mail provider, and passes its events to delivery-tracking. A repeated call changes nothing. */
@Handles(receiveProviderEvents)
export class ReceiveProviderEvents {
  constructor(
    private readonly providers: Providers,
    private readonly endpoints: ProviderEndpointRepository,
    private readonly tracking: DeliveryTracking,
  ) {}

  /** Resolves once the events are durable. */
  async execute(request: RequestOf<typeof receiveProviderEvents>): Promise<ReplyOf<typeof receiveProviderEvents>> {
    const endpoint = await this.endpoints.called(request.kind, request.token);
    const { events, unused, topicArn } = await this.#read(request, endpoint);
    if (topicArn !== undefined && !(await this.endpoints.setTopic(endpoint.id, topicArn))) {
      throw invalidSignature('TopicArn: the endpoint belongs to another topic');
    }
    const recorded = await this.tracking.record(events);
    const ignored = events.length - recorded + unused;
    await this.endpoints.countEvents(endpoint.id, recorded, ignored);
    return { recorded, ignored };
  }

  async #read(request: RequestOf<typeof receiveProviderEvents>, endpoint: CalledEndpoint): Promise<ProviderMessage> {
    const call = { headers: request.headers, body: Buffer.from(request.body, 'base64') };
    try {
      return await this.providers.providerOf(request.kind).read(call, endpoint.credentials);
    } catch (error) {
      if (Refusal.is(error) && error.code === 'invalid_signature') await this.endpoints.countRefused(endpoint.id);
      throw error;
    }
  }
}
