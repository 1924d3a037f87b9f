import {
  type Attachment,
  type ComposedMessage,
  type CopyTracking,
  hasTrackingMarks,
  type ListUnsubscribe,
  type Mailbox,
  messageParts,
  prepareMessage,
  prepareSubmittedMessage,
  prepareTracking,
  signMessage,
  withCopyId,
  withUnsubscribeUrl,
} from '@postern/mail';
import type { CopySettings, MailCopy, VerifiedDomain } from '../relay/ports.js';
import type { EmailFacts } from './email.js';

type Recipient = EmailFacts['recipients'][number];

/** A message that was submitted over SMTP; its MIME structure is kept. */
export interface SubmittedContent {
  readonly mime: string;
  /** The HTML part, which tracking changes. */
  readonly html?: string;
  /** Whether the message has no To header. */
  readonly hidesTo: boolean;
}

/** The content of a message that its events do not contain; kept until its retention is over. */
export interface EmailBody {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly html?: string;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments?: readonly Attachment[];
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly listUnsubscribe?: ListUnsubscribe;
  /** Replaces `html` and `text`, so that a release without this field cannot send the message without its parts. */
  readonly submitted?: SubmittedContent;
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
}

/** A recipient who unsubscribed on the hosted page gets no more messages that offer it, whatever the setting is. */
export const respectsSuppressions = (
  { listUnsubscribe }: Pick<EmailBody, 'listUnsubscribe'>,
  { suppression }: { readonly suppression: boolean },
): boolean => suppression || listUnsubscribe?.hosted === true;

/**
 * Makes the copies of one message. Shared parts are composed and hashed once; the copy id in the header and a tracked HTML
 * part make each copy different.
 */
export function copyMaker(
  facts: EmailFacts,
  body: EmailBody,
  domain: VerifiedDomain,
  settings: CopySettings,
): (recipient: Recipient) => Promise<MailCopy> {
  const { tokens, copyIdHeaders } = settings;
  const linkUrl = domain.trackingHost === undefined ? settings.publicUrl : `https://${domain.trackingHost}`;
  const sign = async (message: ComposedMessage): Promise<readonly Buffer[]> =>
    messageParts(message, await signMessage(message, domain.signers));
  const header = {
    from: body.from,
    to: body.to,
    cc: body.cc,
    replyTo: body.replyTo,
    subject: facts.subject,
    headers: body.headers,
    ...(body.attachments === undefined ? {} : { attachments: body.attachments }),
    ...(body.inReplyTo === undefined ? {} : { inReplyTo: body.inReplyTo }),
    ...(body.references === undefined ? {} : { references: body.references }),
    ...(body.listUnsubscribe === undefined ? {} : { listUnsubscribe: body.listUnsubscribe }),
    messageId: facts.message_id,
    date: new Date(facts.accepted_at),
  };
  const prepared =
    body.submitted === undefined
      ? prepareMessage({
          ...header,
          ...(body.html === undefined ? {} : { html: body.html }),
          ...(body.text === undefined ? {} : { text: body.text }),
        })
      : prepareSubmittedMessage({ ...header, hidesTo: body.submitted.hidesTo }, body.submitted.mime);
  const content = body.submitted ? body.submitted.html : body.html;
  const html =
    content !== undefined && (body.openTracking || body.clickTracking || hasTrackingMarks(content))
      ? prepareTracking(content)
      : undefined;
  const isTracked =
    html !== undefined && (body.openTracking || html.hasMarks || (body.clickTracking && html.links.length > 0));
  let untracked: ComposedMessage | undefined;
  const copyFor = (index: number): ComposedMessage => {
    if (isTracked) return prepared.copy(html.pieces(trackingOf(facts.email_id, index, body, { tokens, linkUrl })));
    untracked ??= prepared.copy();
    return untracked;
  };
  const { listUnsubscribe } = body;
  const unsubscribable = (message: ComposedMessage, index: number): ComposedMessage => {
    if (!listUnsubscribe?.hosted) return message;
    const token = settings.tokens.unsubscribeToken(facts.email_id, index);
    return withUnsubscribeUrl(message, listUnsubscribe, `${linkUrl}/u/${token}`);
  };
  const bytesFor = (index: number): Promise<readonly Buffer[]> =>
    sign(withCopyId(unsubscribable(copyFor(index), index), tokens.copyId(facts.email_id, index), copyIdHeaders));

  return async ({ index, address }) => ({
    returnPath: `${settings.tokens.returnPathToken(facts.email_id, index)}@${domain.returnPathDomain ?? settings.bounceDomain}`,
    recipient: address,
    bytes: await bytesFor(index),
    envelopeId: `${facts.email_id}.${index}`,
    workspaceId: facts.workspace_id,
    needsSmtpUtf8: prepared.needsSmtpUtf8,
  });
}

function trackingOf(
  emailId: string,
  index: number,
  { openTracking, clickTracking }: EmailBody,
  { tokens, linkUrl }: { readonly tokens: CopySettings['tokens']; readonly linkUrl: string },
): CopyTracking {
  return {
    ...(openTracking ? { pixelUrl: `${linkUrl}/o/${tokens.openToken(emailId, index)}.gif` } : {}),
    ...(clickTracking ? { link: url => `${linkUrl}/c/${tokens.clickToken(emailId, index, url)}` } : {}),
  };
}
