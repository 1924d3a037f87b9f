import { Injectable } from '@nestjs/common';
import { listVerifiedRecipients, Refusal, type RequestOf, type verifiedRecipient } from '@postern/contracts';
import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import type { z } from 'zod';
import { EmailServices } from '../email-services/email-services.projection.js';
import type { VerifiedRecipient } from '../generated/prisma/client.js';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ReadModel } from '../infrastructure/postgres/read-model.js';
import { VERIFIED_RECIPIENT_EVENT_TYPES, type VerifiedRecipientEvent } from './verified-recipient.js';

/** Adds a recipient that waits for its code, or sets the expiry of a new code. */
export const SET_AWAITING_CODE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('verified_recipients')} AS r (id, service_id, address, status, code_expires_at, created_at)
  VALUES ($1, $2, $3, 'awaiting_code', $4, $5)
  ON CONFLICT (id) DO UPDATE SET code_expires_at = excluded.code_expires_at`;

/** Adds a verified recipient, or verifies one that waits for its code. */
export const SET_VERIFIED = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('verified_recipients')} AS r (id, service_id, address, status, verified_at, created_at)
  VALUES ($1, $2, $3, 'verified', $4, $4)
  ON CONFLICT (id) DO UPDATE SET status = 'verified', verified_at = excluded.verified_at, code_expires_at = NULL`;

/** Removes a recipient from the read model. */
export const DELETE_RECIPIENT = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('verified_recipients')} WHERE id = $1`;

type VerifiedRecipientReply = z.output<typeof verifiedRecipient>;

/** Verified sandbox recipients, and recipients that wait for their code. */
export const verifiedRecipients: ReadModel<VerifiedRecipientEvent> = {
  tables: ['verified_recipients'],
  eventTypes: VERIFIED_RECIPIENT_EVENT_TYPES,

  apply: (event, tx) => {
    const { recipient_id: id, service_id, at } = event.data;
    switch (event.type) {
      case 'email-send.recipient-code-sent.v1':
        return tx.query(SET_AWAITING_CODE(tx), [id, service_id, event.data.address, event.data.expires_at, at]);
      case 'email-send.recipient-code-mismatched.v1':
        return Promise.resolve();
      case 'email-send.recipient-verified.v1':
        return tx.query(SET_VERIFIED(tx), [id, service_id, event.data.address, at]);
      case 'email-send.recipient-removed.v1':
        return tx.query(DELETE_RECIPIENT(tx), [id]);
    }
  },
};

/** Verified recipients as the dashboard shows them. */
@Injectable()
export class VerifiedRecipients {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly services: EmailServices,
  ) {}

  /** Refuses with `service_not_found` or `recipient_not_found`. */
  async get(request: {
    workspace_id: string;
    service_id: string;
    recipient_id: string;
  }): Promise<VerifiedRecipientReply> {
    await this.services.get(request);
    const row = await this.prisma.verifiedRecipient.findUnique({ where: { id: request.recipient_id } });
    if (!row || row.serviceId !== request.service_id) {
      throw new Refusal('recipient_not_found', 'there is no such verified recipient');
    }
    return replyOf(row);
  }

  /** Refuses with `service_not_found`. */
  @Handles(listVerifiedRecipients)
  async list(request: RequestOf<typeof listVerifiedRecipients>): Promise<VerifiedRecipientReply[]> {
    await this.services.get(request);
    const rows = await this.prisma.verifiedRecipient.findMany({
      where: { serviceId: request.service_id },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(replyOf);
  }
}

const replyOf = (row: VerifiedRecipient): VerifiedRecipientReply => ({
  id: row.id,
  address: row.address,
  status: row.status as VerifiedRecipientReply['status'],
  code_expires_at: row.codeExpiresAt?.toISOString() ?? null,
  verified_at: row.verifiedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});
