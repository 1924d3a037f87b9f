import { Injectable } from '@nestjs/common';
import type { RequestOf, verifySendingDomain } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';

import { CheckSendingDomain } from './check-sending-domain.js';
import { ownedSendingDomain } from './owned-sending-domain.js';

/** Looks the three records up now, because the owner asks. */
@Injectable()
export class VerifySendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly check: CheckSendingDomain,
  ) {}

  async execute(request: RequestOf<typeof verifySendingDomain>): Promise<void> {
    await ownedSendingDomain(this.streams, request);
    await this.check.execute(request.domain_id);
  }
}
