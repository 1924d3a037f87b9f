import { listDatabaseAttachments, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseAttachments } from './database-attachments.js';
import { attachmentReply } from './database-reply.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';

/** Lists the web services that a database is attached to. */
@Handles(listDatabaseAttachments)
export class ListDatabaseAttachments {
  constructor(
    private readonly directory: Databases,
    private readonly attachments: DatabaseAttachments,
  ) {}

  async execute(request: RequestOf<typeof listDatabaseAttachments>): Promise<ReplyOf<typeof listDatabaseAttachments>> {
    const { database_id } = request;
    await ownedDatabase(this.directory, request);
    return (await this.attachments.listOf(database_id)).map(attachment => ({
      ...attachmentReply(attachment),
      web_service_name: attachment.webServiceName,
    }));
  }
}
