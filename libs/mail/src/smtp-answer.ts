/** One server reply, as data. */
export interface SmtpReply {
  /** Three digits; 0 if the relay gave none. */
  readonly code: number;
  /** Enhanced status (RFC 3463), such as `5.1.1`; absent if the relay gave none. */
  readonly enhanced?: string;
  /** The text of the reply, lines joined by a space, at most 500 characters. */
  readonly response: string;
}

/** A recipient whose RCPT was rejected, permanently (5xx) or temporarily (4xx). */
export interface RefusedRecipient extends SmtpReply {
  readonly address: string;
}

/**
 * The result of one hand-over. `refused` always lists the individually rejected recipients.
 *
 * - `accepted`: the relay has accepted the message for the recipients in `accepted`.
 * - `refused`, `deferred`: no copy was accepted, permanently (5xx) or temporarily (4xx). A transaction in which every
 *   recipient was rejected is `deferred` if any rejection was temporary.
 * - `unreachable`: no answer, and nothing was accepted: the end of the data was never sent. Safe to retry elsewhere.
 * - `unknown`: the end of the data was sent without an answer. The message may have been accepted: never resend it.
 */
export type HandOverResult =
  | {
      readonly kind: 'accepted';
      readonly reply: SmtpReply;
      readonly accepted: readonly string[];
      readonly refused: readonly RefusedRecipient[];
    }
  | { readonly kind: 'refused'; readonly reply: SmtpReply; readonly refused: readonly RefusedRecipient[] }
  | { readonly kind: 'deferred'; readonly reply: SmtpReply; readonly refused: readonly RefusedRecipient[] }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly refused: readonly RefusedRecipient[] };

const MAX_RESPONSE = 500;

/** Reads the text of a reply; joins its lines, without the code and the enhanced status of all lines but the first. */
export function parseReply(text: string): SmtpReply {
  const lines = text.split(/\r?\n/).map(line => line.replace(/[\x00-\x1f\x7f]/g, ' ').trim());
  const code = Number(/^[2-5]\d\d(?=$|[ -])/.exec(lines[0] ?? '')?.[0] ?? 0);
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?=$|[ ])/.exec(lines[0] ?? '')?.[1];
  const response = lines
    .map((line, index) => (index === 0 ? line.replace(/^(\d{3})-/, '$1 ') : continued(line)))
    .join(' ')
    .slice(0, MAX_RESPONSE)
    .trim();
  return enhanced === undefined ? { code, response } : { code, enhanced, response };
}

function continued(line: string): string {
  return line.replace(/^\d{3}[ -]?(?:[245]\.\d{1,3}\.\d{1,3} ?)?/, '');
}
