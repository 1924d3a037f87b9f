import { Controller } from '@nestjs/common';
import { getErasure, listErasures, Refusal, type ReplyOf, type RequestOf, startErasure } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { StartErasure } from '../../commands/start-erasure.js';
import { Erasures } from '../../ports.js';

/** Erasures as the operator asks for them. */
@Controller()
export class ErasuresController {
  constructor(
    private readonly starting: StartErasure,
    private readonly erasures: Erasures,
  ) {}

  @HandlesRequest(startErasure)
  start({ address }: RequestOf<typeof startErasure>): Promise<ReplyOf<typeof startErasure>> {
    return this.starting.execute(address);
  }

  @HandlesRequest(getErasure)
  async get({ erasure_id }: RequestOf<typeof getErasure>): Promise<ReplyOf<typeof getErasure>> {
    const found = await this.erasures.find(erasure_id);
    if (!found) throw new Refusal('erasure_not_found', `there is no erasure ${erasure_id}`);
    return found;
  }

  @HandlesRequest(listErasures)
  async list({ limit }: RequestOf<typeof listErasures>): Promise<ReplyOf<typeof listErasures>> {
    return { erasures: [...(await this.erasures.newest(limit))] };
  }
}
