import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import type { EmailBody } from './email-copies.js';

/** The row that a sealed body is bound to. */
export const bodyRow = (emailId: string): string => `sealed_email_bodies/${emailId}`;

/** The stored body of a message: sealed, or in plain text from the release before sealed bodies. */
export interface StoredBody {
  readonly sealed: string | null;
  readonly content: string | null;
}

/** Seals and opens the bodies of messages. */
@Injectable()
export class BodySeal {
  constructor(private readonly keys: KeyRing) {}

  seal(emailId: string, body: EmailBody): string {
    return this.sealText(emailId, JSON.stringify(body));
  }

  /** Seals the JSON text of a body. */
  sealText(emailId: string, content: string): string {
    return this.keys.seal(content, bodyRow(emailId));
  }

  /** @throws when the body was changed, belongs to another message, or its key is not configured. */
  open(emailId: string, { sealed, content }: StoredBody): EmailBody {
    const text = sealed === null ? content : this.keys.open(sealed, bodyRow(emailId));
    if (text === null) throw new Error(`the body of ${emailId} is not stored`);
    return JSON.parse(text) as EmailBody;
  }
}
