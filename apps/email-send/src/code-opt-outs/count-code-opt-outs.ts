import { countCodeOptOuts, type ReplyOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CodeOptOuts } from './ports.js';

/** Counts the mailboxes that refuse verification codes. */
@Handles(countCodeOptOuts)
export class CountCodeOptOuts {
  constructor(private readonly optOuts: CodeOptOuts) {}

  async execute(): Promise<ReplyOf<typeof countCodeOptOuts>> {
    return { count: await this.optOuts.count() };
  }
}
