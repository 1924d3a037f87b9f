import { detachDatabase, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseOrders } from './database-orders.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';

/** Detaches a database: the web service can no longer connect to it. Running instances keep the variable until they end. */
@Handles(detachDatabase)
export class DetachDatabase {
  constructor(
    private readonly directory: Databases,
    private readonly attachments: DatabaseAttachments,
    private readonly orders: DatabaseOrders,
  ) {}

  async execute(request: RequestOf<typeof detachDatabase>): Promise<ReplyOf<typeof detachDatabase>> {
    const { database_id, attachment_id } = request;
    await ownedDatabase(this.directory, request);
    if (!(await this.attachments.detach(database_id, attachment_id)))
      throw new Refusal('attachment_not_found', 'there is no such attachment');
    await this.orders.connect(database_id);
    return { id: attachment_id, deleted: true };
  }
}
