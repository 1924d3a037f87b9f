/** The command that was rejected, if it is not RCPT: MAIL, DATA, or the message that was sent after DATA. */
export type RefusedStage = 'sender' | 'data' | 'message';

/** The texts by which Exim, Postfix, Courier, sendmail and m-FILTER name the command of a reply. */
const AFTER_MESSAGE = /end of data|after (?:the )?(?:message )?data\b|in reply to (?:the )?end of data/i;
const AFTER_DATA = /in reply to (?:the )?DATA|>>> ?DATA\s+(?:> ?)?<<<|smtp command\s+DATA\b/i;
const AFTER_MAIL =
  /(?:after|in reply to) (?:pipelined )?MAIL FROM\b|>>> ?MAIL FROM:[^\n<>]{0,20}(?:<[^<>]{0,300}>)?[^\n<>]{0,100}<<< ?5\d\d/i;
/**
 * With pipelining, DATA is sent before the replies to RCPT are read: a second reply, or the reply that sendmail adds, is
 * evidence of that.
 */
const RCPT_REFUSED =
  />>> ?DATA\s+<<< ?5\d\d.{0,1000}?(?:<<< ?5|(?<!<<< ?)\b5\d\d (?:5\.\d\.\d )?<[^<>]{1,300}>\.\.\. )|>>> ?RCPT TO:[^\n<>]{0,20}(?:<[^<>]{0,300}>)?[^\n<>]{0,100}<<< ?5\d\d/is;

/** The command that the text names as rejected; undefined if it names RCPT or none. */
export function refusedStage(text: string): RefusedStage | undefined {
  if (/(?:after|in reply to) (?:pipelined )?RCPT\b/i.test(text)) return undefined;
  if (AFTER_MAIL.test(text)) return 'sender';
  if (AFTER_MESSAGE.test(text)) return 'message';
  return AFTER_DATA.test(text) && !RCPT_REFUSED.test(text) ? 'data' : undefined;
}
