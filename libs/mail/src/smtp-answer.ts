/** One server reply, as data. */
export interface SmtpReply {
  /** Three digits; 0 where the relay gave none. */
  readonly code: number;
  /** Enhanced status (RFC 3463) where the relay gave one, such as `5.1.1`. */
  readonly enhanced?: string;
  /** The reply's own words, lines joined by a blank, at most 500 characters. */
  readonly response: string;
}

/** A recipient whose RCPT was not accepted; its code tells whether for good (5xx) or for now (4xx). */
export interface RefusedRecipient extends SmtpReply {
  readonly address: string;
}

/**
 * What became of one hand-over. `refused` always lists the recipients that were turned down one by one.
 *
 * - `accepted`: the relay answers for the message to `accepted`.
 * - `refused`, `deferred`: nobody's copy was taken, for good (5xx) or for now (4xx). A transaction where every
 *   recipient was turned down is `deferred` if any of them was only for now.
 * - `unreachable`: no answer, and surely nothing taken: the end of the data was never sent. Safe to try elsewhere.
 * - `unknown`: the end of the data was sent and no answer came. The message may have been taken: never send it again.
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

/** Reads a reply's text; several lines become one, the code and the enhanced status of each line but the first cut. */
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
