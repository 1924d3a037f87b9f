import {
  type ComposedMessage,
  type CopyTracking,
  type DkimSigner,
  type Mailbox,
  messageBytes,
  prepareMessage,
  prepareTracking,
  type TrackingTokens,
} from '@postern/mail';
import type { EmailFacts } from './email.js';
import type { Recipient } from './email-draft.js';

/** The content of a message that its events do not contain; kept until its retention is over. */
export interface EmailBody {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly html?: string;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
}

/** One recipient's copy, signed and ready. */
export interface MailCopy {
  readonly returnPath: string;
  readonly recipient: string;
  readonly bytes: Buffer;
  /** Identifies the copy in delivery notifications (RFC 3461 ENVID). */
  readonly envelopeId: string;
  readonly needsSmtpUtf8: boolean;
}

export interface CopySettings {
  readonly tokens: TrackingTokens;
  /** The public base URL of the gateway, without a trailing slash. */
  readonly publicUrl: string;
  /** The domain that receives delivery notifications. */
  readonly bounceDomain: string;
}

/**
 * Makes the copies of one message. Shared parts are composed once, and signed once if all copies are equal; a tracked HTML
 * part makes each copy different.
 */
export function copyMaker(
  facts: EmailFacts,
  body: EmailBody,
  signer: DkimSigner | undefined,
  settings: CopySettings,
): (recipient: Recipient) => Promise<MailCopy> {
  const sign = async (message: ComposedMessage): Promise<Buffer> =>
    messageBytes(message, signer ? [await signer.sign(message)] : []);
  const prepared = prepareMessage({
    from: body.from,
    to: body.to,
    cc: body.cc,
    replyTo: body.replyTo,
    subject: facts.subject,
    ...(body.html === undefined ? {} : { html: body.html }),
    ...(body.text === undefined ? {} : { text: body.text }),
    headers: body.headers,
    messageId: facts.message_id,
    date: new Date(facts.accepted_at),
  });
  const html =
    body.html !== undefined && (body.openTracking || body.clickTracking) ? prepareTracking(body.html) : undefined;
  const isTracked = html !== undefined && (body.openTracking || html.links.length > 0);
  let shared: Promise<Buffer> | undefined;
  const bytesFor = (index: number): Promise<Buffer> => {
    if (isTracked) return sign(prepared.copy(html.render(trackingOf(facts.email_id, index, body, settings))));
    shared ??= sign(prepared.copy());
    return shared;
  };

  return async ({ index, address }) => ({
    returnPath: `${settings.tokens.returnPathToken(facts.email_id, index)}@${settings.bounceDomain}`,
    recipient: address,
    bytes: await bytesFor(index),
    envelopeId: `${facts.email_id}.${index}`,
    needsSmtpUtf8: prepared.needsSmtpUtf8,
  });
}

function trackingOf(
  emailId: string,
  index: number,
  { openTracking, clickTracking }: EmailBody,
  { tokens, publicUrl }: CopySettings,
): CopyTracking {
  return {
    ...(openTracking ? { pixelUrl: `${publicUrl}/o/${tokens.openToken(emailId, index)}.gif` } : {}),
    ...(clickTracking ? { link: url => `${publicUrl}/c/${tokens.clickToken(emailId, index, url)}` } : {}),
  };
}
