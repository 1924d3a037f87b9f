import { listDatabaseAttachments, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { databaseNotFound } from './database.js';
import { attachmentReply } from './database-reply.js';
import { DatabaseAttachments, DatabaseDirectory } from './ports.js';

/** Lists the web services that a database is attached to. */
@Handles(listDatabaseAttachments)
export class ListDatabaseAttachments {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly attachments: DatabaseAttachments,
  ) {}

  async execute(request: RequestOf<typeof listDatabaseAttachments>): Promise<ReplyOf<typeof listDatabaseAttachments>> {
    const { workspace_id, database_id } = request;
    if ((await this.directory.find(database_id))?.workspaceId !== workspace_id) throw databaseNotFound();
    return (await this.attachments.listOf(database_id)).map(attachment => ({
      ...attachmentReply(attachment),
      web_service_name: attachment.webServiceName,
    }));
  }
}
