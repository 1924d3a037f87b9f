import { Injectable } from '@nestjs/common';
import { copyIdsIn, type InboundMail, type NamedCopy, TrackingTokens } from '@postern/mail';
import { ReportMetrics } from './report-metrics.js';

/** A signed return path: 18 bytes of payload and 12 of signature are 48 base32 characters. */
const RETURN_PATH = /b\+[a-z2-7]{48}(?![a-z2-7])/gi;

/** Finds the copy that a feedback report is about by signed ids anywhere in the report. */
@Injectable()
export class ReportedCopies {
  constructor(
    private readonly tokens: TrackingTokens,
    private readonly metrics: ReportMetrics,
  ) {}

  /**
   * Sources in order of preference: the Postern header of the returned message, the return path in the report, the
   * Message-ID, and last the whole report, in which all ids must identify the same copy.
   */
  find(mail: Extract<InboundMail, { kind: 'feedback_report' }>, raw: Uint8Array): NamedCopy | undefined {
    const { originalMailFrom = '', reported } = mail;
    const { copyIds = [], messageId = '' } = reported;
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
    return (
      this.#only(copyIds.map(copyId => this.tokens.readCopyId(copyId.trim()))) ??
      this.tokens.readReturnPathToken(originalMailFrom.slice(0, originalMailFrom.lastIndexOf('@'))) ??
      this.#only([this.tokens.readCopyId(messageId.slice(0, messageId.lastIndexOf('@')))]) ??
      this.#only(this.#returnPathsIn(text)) ??
      this.#only(this.#verified(copyIdsIn(text)))
    );
  }

  /**
   * The copy that an event of a mail provider names: by signed ids from the headers of the message, or by its Message-ID if
   * that contains one.
   */
  copyOf(copyIds: readonly string[], messageId: string): NamedCopy | undefined {
    return (
      this.#only(copyIds.map(copyId => this.tokens.readCopyId(copyId.trim()))) ??
      this.#only([this.tokens.readCopyId(messageId.slice(0, messageId.lastIndexOf('@')))])
    );
  }

  #returnPathsIn(text: string): (NamedCopy | undefined)[] {
    const found = new Set((text.match(RETURN_PATH) ?? []).slice(0, 100).map(token => token.toLowerCase()));
    return [...found].map(token => this.tokens.readReturnPathToken(token));
  }

  #verified(copyIds: readonly string[]): (NamedCopy | undefined)[] {
    const copies = copyIds.map(copyId => this.tokens.readCopyId(copyId));
    if (copies.includes(undefined)) this.metrics.ignored('forged_copy_id');
    return copies.filter(copy => copy !== undefined);
  }

  /** The single copy that all ids identify; an id of the whole message counts only if no id names a recipient. */
  #only(copies: readonly (NamedCopy | undefined)[]): NamedCopy | undefined {
    const valid = copies.filter(copy => copy !== undefined);
    const [first] = valid;
    if (!first || valid.some(({ emailId }) => emailId !== first.emailId)) return undefined;
    const indexes = new Set(
      valid.flatMap(({ recipientIndex }) => (recipientIndex === undefined ? [] : [recipientIndex])),
    );
    const [recipientIndex] = indexes;
    return indexes.size > 1 ? undefined : { emailId: first.emailId, recipientIndex };
  }
}
