import { Injectable } from '@nestjs/common';
import type { RequestOf, sendEmail } from '@postern/contracts';
import { Templates } from '../templates/templates.js';
import type { EmailRequestBody } from './email-draft.js';
import { invalidEmail } from './email-refusals.js';

/** The body of POST /emails, perhaps with a template. */
export type EmailWithTemplate = RequestOf<typeof sendEmail>['email'];

/** Renders the template of a message. */
@Injectable()
export class CompleteEmail {
  constructor(private readonly templates: Templates) {}

  /** The message with its content; refuses with `invalid_email`, whose message names the field. */
  async complete(serviceId: string, { template, subject, ...email }: EmailWithTemplate): Promise<EmailRequestBody> {
    if (!template) {
      if (subject === undefined) throw invalidEmail('subject', 'a subject is required');
      return { ...email, subject };
    }
    const given = { subject, message: email.message, text: email.text };
    for (const [field, value] of Object.entries(given))
      if (value !== undefined) throw invalidEmail(field, 'not allowed together with template, which contains it');
    const { html, ...content } = await this.templates.render(serviceId, template);
    return { ...email, ...content, message: html };
  }
}
