/** One address in a notification, and the text about it. */
export interface NoticeSection {
  /** Absent if the text contains no address. */
  readonly address: string | undefined;
  readonly text: string;
}

const ADDRESS = /[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\x80-\uffff-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?/g;
const NOT_A_PERSON =
  /^(?:mailer-?daemon|post-?master|abuse|no-?reply|do-?not-?reply|help-?desk|support|b\+[a-z2-7]{48})@/i;
/** Precedes an address that is the id of a message or of a log entry. */
const ID_BEFORE = /(?:message-?id|\bid|reference|mailto)\s*[:=]?\s*<?$/i;
const SENDER_BEFORE =
  /(?:\bfrom["']?|sender|mail from|reply-to|errors-to|x-sender|return-path|originator|submitted by|contact|ask)\s*[:=]?\s*[[<]?["']?$/i;
const ALONE = /^[\s>*•|-]{0,16}[<"'([]{0,2}$/;
/** `to=ada@…`, `dda:SMTP=ada@…`. */
const PREFIX = /^(?:['.`]|(?:to|for|rcpt|recipient|address|addr|smtp)=)+/i;
const REPLIED = /(?:^|[\s>])[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3}[ -])?<?$/;
const LABEL =
  /(?:^|[\s>*({,;:"'])(?:rcpt(?: to)?|(?:final|original|failed|actual|intended|invalid)?[- ]?recipients?(?:[- ]address)?|e-?mail[- ]?address|address(?:es)?|mailbox|users?|to|for|destination|smtp)["']?\s*[:=]\s*[<"'([]{0,2}$/i;
const SENTENCE =
  /\b(?:deliver[a-z]{0,12}|message|mail|e-?mail|sent|send|reach[a-z]{0,12}|recipient|user|address|account|mailbox)\b[^\n]{0,80}[<"'([ :]$/i;
/** Text before an address that describes the message, such as `To:`. */
const ANNOUNCED =
  /(?:did not reach|could not be (?:delivered|reached)|not delivered) (?:to )?(?:the )?following|following (?:recipient|address|user|mailbox|destination)|(?:address|recipient)(?:es|s|\(e?s\))? (?:had|failed)/i;
const MAX_LINES = 600;
const MAX_SECTION = 4_000;

interface Mention {
  readonly line: number;
  readonly address: string;
  /** 3: a separate line or field; 2: in a sentence about delivery; 1: anywhere else. */
  readonly weight: number;
}

/**
 * Finds the recipients that the text is about. `strangers` are addresses that cannot be the failed one, such as the
 * author's.
 */
export function sectionsOf(notice: string, known: readonly string[], strangers: ReadonlySet<string>): NoticeSection[] {
  const lines = notice.split('\n', MAX_LINES);
  const mentionsBut = (excluded: ReadonlySet<string>): Mention[] =>
    lines.flatMap((line, index) => mentionsIn(line.slice(0, 1_000), index, excluded));
  const others = mentionsBut(strangers);
  // A person who wrote to their own address is both author and recipient.
  const all = others.length > 0 ? others : mentionsBut(new Set()).filter(({ weight }) => weight === 3);
  const announced = lines.findIndex(line => ANNOUNCED.test(line.slice(0, 1_000)));
  const listed = all.filter(({ line, weight }) => line >= announced && weight === 3);
  const mentions = listed.length > 0 ? all.filter(({ line }) => line >= announced) : all;
  const keys = known.map(address => address.toLowerCase());
  const strongest = Math.max(0, ...mentions.map(({ weight }) => weight));
  const named =
    keys.length > 0
      ? mentions.filter(({ address }) => keys.includes(address.toLowerCase()))
      : mentions.filter(({ weight }) => weight === strongest);
  const addresses = known.length > 0 ? known : unique(named.map(({ address }) => address));
  if (addresses.length === 0) return [{ address: undefined, text: notice.slice(0, MAX_SECTION) }];
  if (addresses.length === 1) return [{ address: addresses[0], text: notice.slice(0, MAX_SECTION) }];
  return addresses
    .slice(0, 100)
    .map(address => ({ address, text: textAbout(address, named, lines) || notice.slice(0, MAX_SECTION) }));
}

/** The lines from each mention of the address to the next mention of another one. */
function textAbout(address: string, mentions: readonly Mention[], lines: readonly string[]): string {
  const key = address.toLowerCase();
  return mentions
    .flatMap((mention, index) => {
      if (mention.address.toLowerCase() !== key) return [];
      const next = mentions
        .slice(index + 1)
        .find(other => other.address.toLowerCase() !== key && other.line > mention.line);
      return lines.slice(mention.line, next?.line);
    })
    .join('\n')
    .slice(0, MAX_SECTION);
}

function mentionsIn(line: string, index: number, strangers: ReadonlySet<string>): Mention[] {
  return [...line.matchAll(ADDRESS)].flatMap(match => {
    const address = match[0].replace(PREFIX, '').replace(/['`.]+$/, '');
    const before = line.slice(0, match.index);
    const after = line.slice(match.index + match[0].length);
    if (strangers.has(address.toLowerCase()) || NOT_A_PERSON.test(address) || !address.includes('.')) return [];
    if (ID_BEFORE.test(before) || SENDER_BEFORE.test(before)) return [];
    const isField = /=/.test(PREFIX.exec(match[0])?.[0] ?? '');
    return [{ line: index, address, weight: isField ? 3 : weightOf(before, after) }];
  });
}

function weightOf(before: string, after: string): number {
  if (ALONE.test(before) && /^[>"')\]]{0,2}\s*(?:$|[:;,-]|\.\.\.|\(|\[|on \w{3})/.test(after)) return 3;
  if (REPLIED.test(before)) return 3;
  if (LABEL.test(before)) return 3;
  return SENTENCE.test(before) || /^[>"')\]]{0,2}\s*(?:\.{3}|:)/.test(after) ? 2 : 1;
}

function unique(addresses: readonly string[]): string[] {
  return [...new Map(addresses.map(address => [address.toLowerCase(), address])).values()];
}
