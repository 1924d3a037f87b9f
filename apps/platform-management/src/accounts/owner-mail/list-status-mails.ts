import { listStatusMails, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { OwnerMailSources } from './owner-mail-sources.js';

/** Lists the workspaces whose owners want the daily mail about what needs somebody. */
@Handles(listStatusMails)
export class ListStatusMails {
  constructor(private readonly sources: OwnerMailSources) {}

  async execute({ after, limit }: RequestOf<typeof listStatusMails>): Promise<ReplyOf<typeof listStatusMails>> {
    return { workspaces: [...(await this.sources.withStatusMails(after, limit))] };
  }
}
