import { Injectable } from '@nestjs/common';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { isDeleted } from '../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../web-services/services/aggregate/refusals.js';
import { webServiceStream } from '../web-services/services/aggregate/web-service.js';
import { databaseNotFound, databaseStream } from './database.js';
import { DELETE_ATTACHMENT, FIND_ATTACHMENT_OF_VARIABLE, INSERT_ATTACHMENT } from './database-attachments.sql.js';
import type { AttachedService, Attachment, NamedAttachment, NewAttachment } from './ports.js';
import { variableInUse } from './refusals.js';

/** Stores attachments as rows, which are deleted with the database or web service. */
@Injectable()
export class DatabaseAttachments {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Refuses with `database_not_found`, `web_service_not_found` and `variable_in_use`. */
  async attach(attachment: NewAttachment): Promise<Attachment> {
    const { id, databaseId, webServiceId, variable } = attachment;
    const streams = [databaseStream(databaseId), webServiceStream(webServiceId)] as const;
    return inTransaction(this.database.pool, async client => {
      await lockStreams(client, streams);
      if (await isDeleted(client, streams[0])) throw databaseNotFound();
      if (await isDeleted(client, streams[1])) throw webServiceNotFound();
      const taken = await client.query(FIND_ATTACHMENT_OF_VARIABLE, [webServiceId, variable]);
      if (taken.rowCount !== 0) throw variableInUse(variable);
      const values = [id, databaseId, webServiceId, variable];
      const { rows } = await client.query<{ created_at: Date }>(INSERT_ATTACHMENT, values);
      return { ...attachment, createdAt: rows[0]!.created_at };
    });
  }

  /** @returns whether the attachment existed. */
  async detach(databaseId: string, attachmentId: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(DELETE_ATTACHMENT, [databaseId, attachmentId]);
    return rowCount !== 0;
  }

  /** The attachments of all databases in the order of their ids, by the id of the database. */
  async all(): Promise<ReadonlyMap<string, readonly AttachedService[]>> {
    const select = { id: true, databaseId: true, webServiceId: true } as const;
    const rows = await this.prisma.databaseAttachment.findMany({ select, orderBy: { id: 'asc' } });
    return Map.groupBy(rows, ({ databaseId }) => databaseId);
  }

  /** Oldest first. */
  async listOf(databaseId: string): Promise<readonly NamedAttachment[]> {
    const orderBy = [{ createdAt: 'asc' }, { id: 'asc' }] as const;
    const rows = await this.prisma.databaseAttachment.findMany({ where: { databaseId }, orderBy: [...orderBy] });
    const where = { id: { in: rows.map(({ webServiceId }) => webServiceId) } };
    const services = await this.prisma.webService.findMany({ where, select: { id: true, name: true } });
    const names = new Map(services.map(({ id, name }) => [id, name]));
    // A web service that was deleted in the meantime has no name.
    return rows.flatMap(row => {
      const webServiceName = names.get(row.webServiceId);
      return webServiceName === undefined ? [] : [{ ...row, webServiceName }];
    });
  }
}
