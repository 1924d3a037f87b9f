import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { FIND_BY_MESSAGE_ID } from './provider-events.sql.js';

/** Messages by the Message-ID that their sender chose. */
@Injectable()
export class MessageIds {
  constructor(private readonly database: Database) {}

  /** The id of the only message with this Message-ID and recipient; undefined if there is none, or more than one. */
  async emailOf(messageId: string, recipient: string | undefined): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_BY_MESSAGE_ID, [messageId, recipient ?? null]);
    return rows.length === 1 ? rows[0]!.id : undefined;
  }
}
