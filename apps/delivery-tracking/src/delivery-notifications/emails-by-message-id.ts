import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { FIND_BY_MESSAGE_ID } from './provider-events.sql.js';

/** Messages by the Message-ID that their sender chose. */
@Injectable()
export class EmailsByMessageId {
  constructor(private readonly database: Database) {}

  /** The id of the only message with the Message-ID that has this recipient, if one is given. */
  async find(messageId: string, recipient: string | undefined): Promise<string | undefined> {
    const parameters = [messageId, recipient ?? null];
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_BY_MESSAGE_ID, parameters);
    return rows.length === 1 ? rows[0]!.id : undefined;
  }
}
