import { listErasures, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ErasureRepository } from './ports.js';

/** Returns the newest erasures. */
@Handles(listErasures)
export class ListErasures {
  constructor(private readonly erasures: ErasureRepository) {}

  async execute({ limit }: RequestOf<typeof listErasures>): Promise<ReplyOf<typeof listErasures>> {
    return { erasures: [...(await this.erasures.newest(limit))] };
  }
}
