import { getErasure, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ErasureRepository } from './ports.js';

/** Returns one erasure; refuses with `erasure_not_found`. */
@Handles(getErasure)
export class GetErasure {
  constructor(private readonly erasures: ErasureRepository) {}

  async execute({ erasure_id }: RequestOf<typeof getErasure>): Promise<ReplyOf<typeof getErasure>> {
    const found = await this.erasures.find(erasure_id);
    if (!found) throw new Refusal('erasure_not_found', `there is no erasure ${erasure_id}`);
    return found;
  }
}
