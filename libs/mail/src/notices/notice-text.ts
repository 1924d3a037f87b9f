import { decodedAs, type Fields } from '../mime-part.js';

/** The text of a notification, without the returned message. */
export interface NoticeText {
  readonly notice: string;
  /** The rest: the returned message or a part of it. */
  readonly returned: string;
}

/** Lines after which a returned message begins. */
const RETURNED = [
  /^[ \t>*]{0,16}[-=_*+]{2,80}[^\n]{0,40}\b(?:original|returned|unsent|undelivered|copy of|rejected) (?:the |your )?(?:original )?(?:message|mail|e-?mail|text|header)[^\n]{0,60}$/im,
  /^[^\n]{0,60}\b(?:this is a copy of (?:the|your)|below this line is (?:a|the) copy|a copy of (?:the|your) (?:original )?(?:message|mail)|the (?:text|headers?|first|body) of (?:the|your) (?:original )?message|original (?:message|mail) (?:follows|headers?|text|begins)|message headers? (?:follow|are)|(?:undelivered|unsent|returned|bounced) (?:message|mail) (?:follows|is|below|begins)|(?:start|beginning) of (?:the )?(?:returned|original) message|received headers?:?|header of the original|included is a copy|message contents? follow|your (?:original )?message (?:reads|follows))\b[^\n]{0,80}$/im,
  /^[ \t>]{0,8}[-=_]{2,}[ \t]*(?:original|undelivered|returned) message[^\n]{0,40}$/im,
  /^(?:Received: ?(?:from|by|\(|via)|Return-Path: ?<|DKIM-Signature:|X-Mailer:|MIME-Version: ?1)/im,
];

/** Splits the text of a notification where the returned message begins. */
export function splitReturned(text: string): NoticeText {
  const at = Math.min(...RETURNED.map(pattern => text.search(pattern)).filter(index => index > 40));
  return Number.isFinite(at) ? { notice: text.slice(0, at), returned: text.slice(at) } : { notice: text, returned: '' };
}

/** The kind of a mail to a return path, according to its text. */
export type NoticeKind = 'failed' | 'delayed' | 'auto_reply' | 'unknown';

const MAILER =
  /mailer|daemon|post ?master|mail delivery|mail (?:sub)?system|delivery (?:sub)?system|bounce|e-?mail ?system|mail ?(?:server|admin)|undeliver|administrator|microsoft (?:outlook|exchange)|mdaemon|mailsweeper|virus|filter/i;
const FAILED_SUBJECT =
  /undeliver|not (?:be )?deliver|non[- ]?deliver|could ?n[o']t (?:be )?(?:deliver|sen[dt])|unable to deliver|deliver[a-z]{0,12} (?:has |status )?(?:notification[ :(]*)?(?:fail|error|problem|unsuccess|impossible|reject)|fail(?:ed|ure)? (?:notice|mail|to|delivery|status)|mail (?:failure|error|delivery|returned|system error)|(?:message|mail|e-?mail)[^\n]{0,30} (?:failed|failure|returned|bounced|rejected|blocked|refused)|return(?:ed)? (?:mail|to sender|message)|returning message|rejected|bounce|user unknown|(?:unknown|invalid|bad|wrong) (?:user|recipient|address)|nondeliverable|unzustellbar|unbekannt|delivery status notification|notification d.[ée]tat|rapport de non|non remis|no se (?:ha )?(?:pudo|podido)|mancato recapito|non recapitabil|niet bezorg|mailbox (?:full|unavailable)|quota|warning|delivery report|problem delivering/i;
const FAILED_WORDS =
  /undeliverable|undelivered|(?:could|can|was|were|has|have|did|been)(?: ?no|n')t (?:be |been )?(?:successfully )?(?:deliver|reach|sen[dt]|accept|process|find|found|complete)|(?:was|were|been|is|are|be) (?:rejected|refused|returned|bounced|blocked|declined)|not (?:be )?(?:delivered|reach(?:ed|able)?)|deliver[a-z]{0,12} (?:to [^\n]{0,80}|of [^\n]{0,80})?(?:has |have )?(?:failed|failure|error|impossible|unsuccessful)|unable to (?:deliver|send|relay|process)|(?:permanent|fatal) (?:error|failure|fail)|failed (?:permanently|recipient|address|to deliver)|following (?:recipient|address|user|destination|mailbox|errors?)|(?:user|recipient|mailbox|account|address|domain|host)[^\n]{0,60} (?:unknown|not (?:found|exist|known|listed|valid)|does(?:n't| not) exist|(?:is )?(?:full|disabled|unavailable|invalid))|(?:unknown|no such|invalid|nonexistent) (?:user|recipient|mailbox|address|account|host|domain)|over quota|quota exceed|not delivered|return(?:ed|ing) (?:message )?to sender|(?:temporarily )?undeliver|will not be delivered|access denied|error transcript|message (?:rejected|denied)|konnte nicht|nicht zugestellt|non (?:est )?(?:pas )?(?:remis|distribu)|no (?:se )?(?:ha )?(?:podido|pudo)|transaction failed|mail(?:box)? (?:is )?(?:unavailable|full)|无法(?:投递|送达|发送|递送)|(?:投递|发送)失败|退信|(?:配[信送]|送信|転送|お届け)(?:は)?(?:できません|が?できな|に失敗)/i;
/** Subjects and sentences that occur only in failure notices. */
const SURELY_FAILED_SUBJECT =
  /undeliver|returned mail|failure notice|deliver[a-z]{0,12} (?:fail|error|has failed|unsuccess)|mail (?:failure|delivery failed|system error)|(?:fail|bounce)(?:ed|ure) (?:mail|delivery|message)|status notification\W{1,3}(?:fail|error)|not (?:be )?delivered|non[- ]?deliver|unzustellbar|non remis|mancat|недоставлен|не доставлен/i;
const SURELY_FAILED =
  /(?:could|can|was|were|has|have)(?: ?no|n')t (?:be |been )?(?:successfully )?(?:delivered|deliver)|deliver[a-z]{0,12} (?:\S+ ){0,8}(?:has |have )?failed|undeliverable|returned to (?:the )?sender|did not (?:receive|reach)|permanent(?:ly)? (?:error|fail)|unable to deliver/i;
const DELAYED =
  /warning (?:message )?only|(?:do not|don't) need to (?:resend|do anything)|no action (?:is )?(?:required|needed)|not (?:yet )?been (?:successfully )?delivered (?:yet|to one|after|for)|has not yet been delivered|could not (?:yet )?be delivered (?:yet|immediately|so far|for more than|for the last|for \d)|will (?:be )?(?:retr(?:y|ied)|attempted again)|will (?:keep|continue) (?:trying|to (?:try|attempt|retry|be))|(?:attempts?|delivery|retries) will continue|(?:keep|still|continue) (?:on )?(?:trying|being (?:re)?tried)|delivery (?:is |has been |of [^\n]{0,80})?(?:delayed|deferred)|temporarily (?:delayed|deferred)|will try again|further attempts|delivery incomplete|still (?:be )?(?:queued|retrying)/i;
const DELAYED_SUBJECT = /delay|warning|deferred|verz[öo]ger|retard|still (?:being )?(?:trying|retried)|not yet/i;
const GIVEN_UP =
  /permanent(?:ly)? (?:error|fail|fatal)|failed permanently|(?:gave|given|giving|give) up|could not be delivered (?:to|because)|has been (?:removed|deleted|returned)|will (?:not|no longer) be (?:retried|delivered|tried|attempted)|too long|no further (?:attempts|action)|retry time(?:out)? (?:expired|exceeded|not reached)|is being returned/i;
const AUTO_REPLY_SUBJECT =
  /^[^a-z]{0,4}(?:(?:re|aw|sv|antw|fw)\s*:\s*)?\W{0,3}(?:auto(?:matic(?:ally)?|mated|matische?|mática|matique)?[- :.]{0,3}(?:generated )?(?:reply|response|respon[ds]e?r?|answer|antwort|r[ée]ponse|risposta|respuesta|repl)|out[- ]of[- ](?:the[- ])?office|ooo\b|vacation|holiday|on (?:vacation|leave|holiday)|i(?: am|'m) (?:away|out|on|currently)|away from|absen[ct]e|abwesen|respuesta autom|r[ée]ponse autom|risposta autom|je suis absent|thank you for (?:your|contacting)|thanks for (?:your|contacting)|we (?:have )?received your|(?:your )?(?:request|ticket|message) (?:has been )?received|acknowledg|change of (?:e-?mail )?address|new (?:e-?mail )?address|no longer (?:with|at|work)|read:|gelesen:|delivered:|relayed:)/i;
const AUTO_REPLY_WORDS =
  /out of (?:the )?office|on (?:vacation|annual leave|holiday|maternity leave|parental leave|sick leave)|(?:i am|i'm|i will be|i'll be|am currently) (?:away|out|unavailable|absent|travel|on|not in)|automat(?:ic|ed) (?:reply|response|answer)|auto-?(?:reply|respon)|no longer (?:work|employed|with the company|at this)|abwesen|will (?:reply|respond|answer|get back)|limited access to (?:my )?e-?mail/i;

export interface NoticeHeaders {
  readonly subject: string;
  readonly from: string;
  readonly isAutoReply: boolean;
  readonly failedRecipients: readonly string[];
}

/** The headers that distinguish the notification of a mail system from a reply of a person. */
export function noticeHeaders(fields: Fields): NoticeHeaders {
  const first = (name: string): string => fields.get(name)?.[0]?.slice(0, 1_000) ?? '';
  const autoSubmitted = first('auto-submitted').trim().toLowerCase();
  return {
    subject: decodedWords(first('subject')),
    from: first('from'),
    isAutoReply:
      autoSubmitted.startsWith('auto-replied') ||
      /auto_?reply/i.test(first('precedence')) ||
      ['x-autoreply', 'x-autorespond', 'x-autoreply-from', 'x-mail-autoreply'].some(name => fields.has(name)),
    failedRecipients: fields.get('x-failed-recipients')?.slice(0, 20) ?? [],
  };
}

/** Decodes RFC 2047 encoded words; leaves undecodable ones unchanged. */
function decodedWords(value: string): string {
  return value.replace(
    /=\?([\w-]{1,40})\?([bq])\?([^?\s]{0,400})\?=\s*/gi,
    (whole, charset: string, how: string, content: string) => {
      const quoted = content
        .replaceAll('_', ' ')
        .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      const bytes = how.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : Buffer.from(quoted, 'latin1');
      return decodedAs(bytes, charset) ?? whole;
    },
  );
}

/** Distinguishes failures from delays and automatic replies. `hasReply`: the text quotes an SMTP reply that rejects. */
export function kindOfNotice(headers: NoticeHeaders, notice: string, hasReply: boolean): NoticeKind {
  const { subject, from, isAutoReply, failedRecipients } = headers;
  const isMailer = MAILER.test(from) || from === '' || /<>/.test(from);
  const failedSubject = FAILED_SUBJECT.test(subject);
  if (failedRecipients.length === 0) {
    if (AUTO_REPLY_SUBJECT.test(subject)) return 'auto_reply';
    if (isAutoReply && !isMailer && !failedSubject) return 'auto_reply';
    if (!isMailer && !failedSubject && AUTO_REPLY_WORDS.test(notice)) return 'auto_reply';
  }
  const failedWords = FAILED_WORDS.test(notice);
  if (DELAYED.test(notice) && !GIVEN_UP.test(notice)) return 'delayed';
  if (DELAYED_SUBJECT.test(subject) && !GIVEN_UP.test(notice) && !hasReply && !/fail|undeliver/i.test(subject))
    return failedWords && !/delay/i.test(subject) ? 'failed' : 'delayed';
  if (failedRecipients.length > 0) return 'failed';
  if (failedSubject && (failedWords || hasReply)) return 'failed';
  if (isMailer && SURELY_FAILED_SUBJECT.test(subject)) return 'failed';
  if (isMailer && (failedWords || hasReply)) return 'failed';
  if (((hasReply && failedWords) || SURELY_FAILED.test(notice)) && !isAutoReply) return 'failed';
  return isAutoReply ? 'auto_reply' : 'unknown';
}
