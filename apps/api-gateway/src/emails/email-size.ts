import { MAX_EMAIL_BYTES, type RequestInput, type sendEmail } from '@postern/contracts';
import { sizeOf } from '../infrastructure/http/admission/body-reader.js';
import { Problem } from '../infrastructure/http/errors/problem.js';

/** @throws 413 if a message of so many bytes is too large without the content of its attachments. */
export const assertEmailSize = (bytes: number, { attachments = [] }: RequestInput<typeof sendEmail>['email']): void => {
  const files = attachments.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes - files > MAX_EMAIL_BYTES) {
    const whole = attachments.length > 0 ? 'The message without its attachments' : 'The message';
    throw new Problem(413, `${whole} is larger than ${sizeOf(MAX_EMAIL_BYTES)}.`);
  }
};
