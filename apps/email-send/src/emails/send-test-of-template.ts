import { type ReplyOf, type RequestOf, sendEmail, sendEmailBody, sendTestOfTemplate } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { enabledSender, SenderDirectory } from '../api-keys/ports.js';
import { Templates } from '../templates/templates.js';
import { CompleteEmail } from './complete-email.js';
import { draftEmail } from './email-draft.js';
import { canonicalMessage } from './idempotency.js';
import { SendEmail } from './send-email.js';

/** Sends one message with a template for a user of the dashboard. */
@Handles(sendTestOfTemplate)
export class SendTestOfTemplate {
  constructor(
    private readonly templates: Templates,
    private readonly completion: CompleteEmail,
    private readonly senders: SenderDirectory,
    private readonly sending: SendEmail,
  ) {}

  async execute(request: RequestOf<typeof sendTestOfTemplate>): Promise<ReplyOf<typeof sendTestOfTemplate>> {
    // Errors name the fields of this request, and the test has the version that was checked.
    const { version } = await this.templates.previewOf(request);
    const { service_id, template_id: id, variables, from, to } = request;
    const message = sendEmailBody.parse({ from, to, template: { id, version, variables } });
    const { email } = await this.sending.send({
      canonical: JSON.stringify(['test', id, version, canonicalMessage(message)]),
      answer_within_ms: sendEmail.deadlineMs,
      sender: () => enabledSender(this.senders, service_id),
      draft: async ({ serviceId }) => draftEmail(await this.completion.complete(serviceId, message)),
    });
    return email;
  }
}
