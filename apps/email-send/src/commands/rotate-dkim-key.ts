import { Injectable } from '@nestjs/common';
import { Refusal, type RequestOf, type rotateDkimKey } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { sendingDomain, sendingDomainStream } from '../domain/sending-domain.js';
import { DkimKeys, DomainChecks } from '../ports.js';
import { ownedSendingDomain } from './owned-sending-domain.js';

/** Makes a second key; it signs from the check on that finds its record, and the first one signs until then. */
@Injectable()
export class RotateDkimKey {
  constructor(
    private readonly streams: Streams,
    private readonly keys: DkimKeys,
    private readonly checks: DomainChecks,
  ) {}

  async execute(request: RequestOf<typeof rotateDkimKey>): Promise<void> {
    await ownedSendingDomain(this.streams, request);
    const dkim = await this.keys.generate(request.domain_id);
    try {
      await this.streams.execute(sendingDomain, sendingDomainStream(request.domain_id), {
        kind: 'rotate',
        dkim,
        at: new Date().toISOString(),
      });
    } catch (error) {
      if (Refusal.is(error)) await this.keys.destroy([dkim.key_id]);
      throw error;
    }
    await this.checks.hasten(request.domain_id);
  }
}
