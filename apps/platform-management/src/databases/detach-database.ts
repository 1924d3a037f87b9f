import { detachDatabase, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ownedDatabase } from './owned-database.js';
import { DatabaseAttachments, DatabaseDirectory } from './ports.js';

/** Detaches a database; running instances keep the variable until they end. */
@Handles(detachDatabase)
export class DetachDatabase {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly attachments: DatabaseAttachments,
  ) {}

  async execute(request: RequestOf<typeof detachDatabase>): Promise<ReplyOf<typeof detachDatabase>> {
    const { database_id, attachment_id } = request;
    await ownedDatabase(this.directory, request);
    if (!(await this.attachments.detach(database_id, attachment_id)))
      throw new Refusal('attachment_not_found', 'there is no such attachment');
    return { id: attachment_id, deleted: true };
  }
}
