import { Injectable } from '@nestjs/common';
import { type addSendingDomain, Refusal, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v5 as uuidv5 } from 'uuid';
import { normalizeDomain, sendingDomain, sendingDomainStream } from '../domain/sending-domain.js';
import { DkimKeys } from '../ports.js';
import { ownedEmailService } from './owned-email-service.js';

/** Registers a domain with a DKIM key of its own; its records are looked up from now on. Answers its id. */
@Injectable()
export class AddSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly keys: DkimKeys,
  ) {}

  async execute(request: RequestOf<typeof addSendingDomain>): Promise<string> {
    const { service_id: serviceId } = request;
    await ownedEmailService(this.streams, request);
    const domain = normalizeDomain(request.domain);
    // One stream per service and domain: the store itself keeps a domain from being added twice.
    const domainId = uuidv5(domain, serviceId);
    const dkim = await this.keys.generate(domainId);
    try {
      await this.streams.execute(sendingDomain, sendingDomainStream(domainId), {
        kind: 'add',
        serviceId,
        domainId,
        domain,
        dkim,
        at: new Date().toISOString(),
      });
    } catch (error) {
      // After any other error the event may stand nevertheless, and its key with it.
      if (Refusal.is(error)) await this.keys.destroy([dkim.key_id]);
      throw error;
    }
    return domainId;
  }
}
