import { attachDatabase, isReservedVariable, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { NamedValueReader } from '../web-services/environment/named-value-reader.js';
import { variableReserved } from '../web-services/environment/named-values.js';
import { WebServices } from '../web-services/services/web-services.projection.js';
import { databaseNotFound } from './database.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseOrders } from './database-orders.js';
import { attachmentReply } from './database-reply.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import { variableInUse } from './refusals.js';

const DEFAULT_VARIABLES = { relational: 'DATABASE_URL', key_value: 'REDIS_URL' } as const;

/** Attaches a database to a web service, whose instances receive the connection URL at their next start. */
@Handles(attachDatabase)
export class AttachDatabase {
  constructor(
    private readonly directory: Databases,
    private readonly webServices: WebServices,
    private readonly values: NamedValueReader,
    private readonly attachments: DatabaseAttachments,
    private readonly orders: DatabaseOrders,
  ) {}

  async execute(request: RequestOf<typeof attachDatabase>): Promise<ReplyOf<typeof attachDatabase>> {
    const { database_id: databaseId, web_service_id: webServiceId } = request;
    const { kind, status } = await ownedDatabase(this.directory, request);
    if (status === 'deleting') throw databaseNotFound();
    await this.webServices.requireOwner(request, webServiceId);
    const variable = request.variable ?? DEFAULT_VARIABLES[kind];
    if (isReservedVariable(variable)) throw variableReserved(variable);
    const own = await this.values.valuesOf(webServiceId);
    if (own.some(({ key }) => key === variable)) throw variableInUse(variable);
    const attachment = await this.attachments.attach({ id: uuidv7(), databaseId, webServiceId, variable });
    await this.orders.connect(databaseId);
    return attachmentReply(attachment);
  }
}
