import { Injectable } from '@nestjs/common';
import type { getEmail, ReplyOf, RequestOf } from '@postern/contracts';
import { emailRefusal, stillUnderWay } from '../domain/email-refusals.js';
import { EmailLedger, SenderDirectory } from '../ports.js';
import { authenticated } from './authenticate-api-key.js';

/**
 * GET /emails/{id}: the record as the create response gave it. What belongs to another service does not exist; a message
 * under way exists, but nobody can say yet what becomes of it.
 */
@Injectable()
export class GetEmail {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly ledger: EmailLedger,
  ) {}

  async execute({ api_key_hash, email_id }: RequestOf<typeof getEmail>): Promise<ReplyOf<typeof getEmail>> {
    const { serviceId } = await authenticated(this.senders, api_key_hash);
    const record = await this.ledger.record(serviceId, email_id.toLowerCase());
    if (record) return record;
    const emailId = email_id.toLowerCase();
    if (await this.ledger.isUnderWay(serviceId, emailId)) throw stillUnderWay(emailId);
    throw emailRefusal('email_not_found', 'there is no email with this id');
  }
}
