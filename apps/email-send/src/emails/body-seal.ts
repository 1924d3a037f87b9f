import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import type { EmailBody } from './email-copies.js';

/** The row that a sealed body is bound to. */
export const bodyRow = (emailId: string): string => `sealed_email_bodies/${emailId}`;

/** Seals and opens the bodies of messages. */
@Injectable()
export class BodySeal {
  constructor(private readonly keys: KeyRing) {}

  seal(emailId: string, body: EmailBody): string {
    return this.keys.seal(JSON.stringify(body), bodyRow(emailId));
  }

  /** @throws when the body was changed, belongs to another message, or its key is not configured. */
  open(emailId: string, sealed: string): EmailBody {
    return JSON.parse(this.keys.open(sealed, bodyRow(emailId))) as EmailBody;
  }
}
