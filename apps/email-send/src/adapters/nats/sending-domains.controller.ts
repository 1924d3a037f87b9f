import { Controller } from '@nestjs/common';
import {
  addSendingDomain,
  getSendingDomain,
  listSendingDomains,
  type ReplyOf,
  type RequestOf,
  removeSendingDomain,
  rotateDkimKey,
  verifySendingDomain,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { AddSendingDomain } from '../../commands/add-sending-domain.js';
import { RemoveSendingDomain } from '../../commands/remove-sending-domain.js';
import { RotateDkimKey } from '../../commands/rotate-dkim-key.js';
import { VerifySendingDomain } from '../../commands/verify-sending-domain.js';
import { SendingDomains } from '../../projections/sending-domains.js';

/** Sending domains of an email service and the records they need. */
@Controller()
export class SendingDomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly adding: AddSendingDomain,
    private readonly verifying: VerifySendingDomain,
    private readonly rotating: RotateDkimKey,
    private readonly removing: RemoveSendingDomain,
  ) {}

  @HandlesRequest(addSendingDomain)
  async add(request: RequestOf<typeof addSendingDomain>): Promise<ReplyOf<typeof addSendingDomain>> {
    const domain_id = await this.adding.execute(request);
    return this.domains.get({ ...request, domain_id });
  }

  @HandlesRequest(listSendingDomains)
  list(request: RequestOf<typeof listSendingDomains>): Promise<ReplyOf<typeof listSendingDomains>> {
    return this.domains.ofService(request);
  }

  @HandlesRequest(getSendingDomain)
  get(request: RequestOf<typeof getSendingDomain>): Promise<ReplyOf<typeof getSendingDomain>> {
    return this.domains.get(request);
  }

  @HandlesRequest(verifySendingDomain)
  async verify(request: RequestOf<typeof verifySendingDomain>): Promise<ReplyOf<typeof verifySendingDomain>> {
    await this.verifying.execute(request);
    return this.domains.get(request);
  }

  @HandlesRequest(rotateDkimKey)
  async rotate(request: RequestOf<typeof rotateDkimKey>): Promise<ReplyOf<typeof rotateDkimKey>> {
    await this.rotating.execute(request);
    return this.domains.get(request);
  }

  @HandlesRequest(removeSendingDomain)
  async remove(request: RequestOf<typeof removeSendingDomain>): Promise<ReplyOf<typeof removeSendingDomain>> {
    await this.removing.execute(request);
    return {};
  }
}
