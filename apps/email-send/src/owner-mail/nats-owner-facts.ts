import { Injectable } from '@nestjs/common';
import { getOwnerMailFacts } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { type OwnerEvent, OwnerFacts } from './ports.js';

/** Requests the facts from platform-management over NATS. */
@Injectable()
export class NatsOwnerFacts extends OwnerFacts {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async of({ stream_id, version }: OwnerEvent) {
    return (await this.requests.request(getOwnerMailFacts, { stream_id, version })).facts ?? undefined;
  }
}
