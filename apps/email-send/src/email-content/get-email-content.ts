import { getEmailContent, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { copyMaker } from '../emails/email-copies.js';
import { SendingSettings } from '../relay/ports.js';
import { contentOf } from './email-content.js';
import { KeptBodies } from './kept-bodies.js';

/** The content of a message of the caller's workspace. Refuses `content_deleted` when its retention is over. */
@Handles(getEmailContent)
export class GetEmailContent {
  constructor(
    private readonly streams: Streams,
    private readonly bodies: KeptBodies,
    private readonly settings: SendingSettings,
  ) {}

  async execute(request: RequestOf<typeof getEmailContent>): Promise<ReplyOf<typeof getEmailContent>> {
    await ownedEmailService(this.streams, request);
    const found = await this.bodies.find(request.email_id.toLowerCase());
    if (found?.facts.service_id !== request.service_id.toLowerCase()) {
      throw new Refusal('email_not_found', 'there is no email with this id');
    }
    const { facts, body } = found;
    if (!body) throw new Refusal('content_deleted', 'the content of this message is no longer stored');
    // Without tracking: the owner who reads the source must not count as a recipient.
    const untracked = { ...body, openTracking: false, clickTracking: false };
    const copyFor = copyMaker(facts, untracked, { signers: [] }, this.settings.copies);
    const { bytes } = await copyFor(facts.recipients[0]!);
    return contentOf(body, bytes.toString('utf8'));
  }
}
