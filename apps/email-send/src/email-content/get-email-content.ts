import { getEmailContent, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { copyMaker } from '../emails/email-copies.js';
import { SendingSettings } from '../relay/ports.js';
import { contentOf } from './email-content.js';
import { KeptBodies } from './kept-bodies.js';

/** The content of a message of the caller's workspace. */
@Handles(getEmailContent)
export class GetEmailContent {
  constructor(
    private readonly bodies: KeptBodies,
    private readonly settings: SendingSettings,
  ) {}

  async execute(request: RequestOf<typeof getEmailContent>): Promise<ReplyOf<typeof getEmailContent>> {
    const { facts, body } = await this.bodies.keptOf(request);
    // Without tracking: the owner who reads the source must not count as a recipient.
    const untracked = { ...body, openTracking: false, clickTracking: false };
    const copyFor = copyMaker(facts, untracked, { signers: [] }, this.settings.copies);
    const { bytes } = await copyFor(facts.recipients[0]!);
    return contentOf(body, bytes.toString('utf8'));
  }
}
