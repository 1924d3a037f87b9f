import { hash } from 'node:crypto';
import { type ReplyOf, type RequestOf, SUBMISSION_KEY, submitEmail } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SendEmail } from './send-email.js';
import { draftSubmitted } from './submitted-draft.js';

/** SMTP submission: sends a message with its own MIME structure, by the rules of POST /emails. */
@Handles(submitEmail)
export class SubmitEmail {
  constructor(private readonly emails: SendEmail) {}

  execute({
    recipients,
    content,
    api_key_hash,
    ...request
  }: RequestOf<typeof submitEmail>): Promise<ReplyOf<typeof submitEmail>> {
    const key = request.idempotency_key?.startsWith(SUBMISSION_KEY) ? request.idempotency_key : undefined;
    const canonical = JSON.stringify(['smtp', [...recipients].sort(), key ?? hash('sha256', content, 'hex')]);
    return this.emails.send({
      ...request,
      sender: () => this.emails.senderOf(api_key_hash),
      canonical,
      bytes: content.length,
      draft: () => draftSubmitted(recipients, Buffer.from(content, 'base64')),
    });
  }
}
