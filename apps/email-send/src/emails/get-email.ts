import { getEmail, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { authenticated, SenderDirectory } from '../api-keys/ports.js';
import { emailRefusal, stillInProgress } from './email-refusals.js';
import { EmailRepository } from './ports.js';

/**
 * GET /emails/{id}: the record as POST /emails returned it. Messages of other services are not found; a message in progress
 * is refused with `outcome_unknown`.
 */
@Handles(getEmail)
export class GetEmail {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly emails: EmailRepository,
  ) {}

  async execute({ api_key_hash, email_id }: RequestOf<typeof getEmail>): Promise<ReplyOf<typeof getEmail>> {
    const { serviceId } = await authenticated(this.senders, api_key_hash);
    const emailId = email_id.toLowerCase();
    const record = await this.emails.record(serviceId, emailId);
    if (record) return record;
    if (await this.emails.isInProgress(serviceId, emailId)) throw stillInProgress(emailId);
    throw emailRefusal('email_not_found', 'there is no email with this id');
  }
}
