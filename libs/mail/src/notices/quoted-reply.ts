/** An SMTP reply quoted in the text of a notification. */
export interface QuotedReply {
  readonly code: number;
  /** The reply from its code on, in one line. */
  readonly text: string;
  /** The reply is a consequence of an earlier one, or comes from the notifying server. */
  readonly isConsequence: boolean;
}

const REPLY = /(?:^|[\s:>"'([<;,=])((?:4[2-5]|5[0-7])\d)(?=[ :-]{1,3}[#<"'([]{0,2}[A-Za-z0-9\x80-\uffff<*:]|[ -]*$)/gm;
/** Replies that are a consequence of an earlier one, or come from the notifying server. */
const CONSEQUENCE =
  /^\d{3}[ -]+(?:[245]\.\d{1,3}\.\d{1,3}[ :]+)?(?:(?:<[^>]{1,300}>|\S{1,200})\.\.\. )?(?:service unavailable|need (?:rcpt|recipient|mail)|need mail before|no valid recipients?|rcpt first|error: (?:need|no valid)|bad sequence|valid rcpt|polite people)/i;
const MAX_REPLY = 600;
const ENHANCED = /(?:^|[\s(#<[;:=-])([45]\.\d{1,2}\.\d{1,3})(?![\d.]\d|\d)/;

/**
 * The decisive reply: the first permanent rejection that is not the consequence of another reply, otherwise the first
 * reply.
 */
export function quotedReply(text: string): QuotedReply | undefined {
  const replies: QuotedReply[] = [];
  for (const match of text.matchAll(REPLY)) {
    const start = match.index + match[0].length - 3;
    const words = oneLine(untilNext(text.slice(start, start + MAX_REPLY)));
    replies.push({ code: Number(match[1]), text: words, isConsequence: CONSEQUENCE.test(words) });
    if (replies.length === 30) break;
  }
  const causes = replies.filter(({ isConsequence }) => !isConsequence);
  return causes.find(({ code }) => code >= 500) ?? causes[0] ?? replies[0];
}

/** Up to the end of the paragraph, or to the next reply; `550-` continues in the next line. */
function untilNext(text: string): string {
  const end = text.search(text[3] === '-' ? /\n\n/ : /\n(?:\n|[\s<>]{0,12}[245]\d\d[ -])/);
  return end < 0 ? text : text.slice(0, end);
}

/** The first enhanced status code in the text, such as `(#5.1.1)`. */
export const quotedStatus = (text: string): string | undefined => ENHANCED.exec(text)?.[1];

export const oneLine = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
