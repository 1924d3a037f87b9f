import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import type { EmailBody } from './email-copies.js';

/** The row that a sealed body is bound to. */
export const bodyRow = (emailId: string): string => `sealed_email_bodies/${emailId}`;

/** A stored body. */
export interface StoredBody {
  readonly key_id: string;
  readonly body: Buffer;
}

/** The first byte of what is sealed. */
const PLAIN = Buffer.of(0);
const COMPRESSED = Buffer.of(1);
/** Larger bodies consist of attachments, and would occupy the event loop for milliseconds. */
const MAX_COMPRESSED = 64 * 1_024;
const FASTEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 } };

/** Compresses and seals the bodies of messages, and opens them. */
@Injectable()
export class BodySeal {
  constructor(private readonly keys: KeyRing) {}

  /** The id of the key that seals. */
  get keyId(): string {
    return this.keys.firstId;
  }

  seal(emailId: string, body: EmailBody): Buffer {
    const json = Buffer.from(JSON.stringify(body), 'utf8');
    const parts = json.length > MAX_COMPRESSED ? [PLAIN, json] : [COMPRESSED, brotliCompressSync(json, FASTEST)];
    return this.keys.sealBytes(Buffer.concat(parts), bodyRow(emailId));
  }

  /** @throws when the body was changed, belongs to another message, or its key is not configured. */
  open(emailId: string, { key_id, body }: StoredBody): EmailBody {
    const plain = this.keys.openBytes(key_id, body, bodyRow(emailId));
    const content = plain.subarray(1);
    const json = plain[0] === COMPRESSED[0] ? brotliDecompressSync(content) : content;
    return JSON.parse(json.toString('utf8')) as EmailBody;
  }
}
