import { childParts, type MimePart, partText } from '../mime-part.js';

/** The parts of a mail that can contain information about a delivery, in their order. */
export interface MailLeaves {
  /** Readable text, HTML without its tags; at most `MAX_TEXT` characters in all. */
  readonly texts: readonly string[];
  readonly statuses: readonly MimePart[];
  readonly feedback: MimePart | undefined;
  /** Returned messages, or their headers. */
  readonly originals: readonly MimePart[];
}

const MAX_DEPTH = 6;
const MAX_LEAVES = 60;
const MAX_TEXT = 64 * 1024;
const ORIGINAL = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers)(?:-headers)?$/;
const STATUS = /^message\/(?:global-)?delivery-status$/;

/** Finds the parts in any nesting; a multipart whose boundary cannot be found counts as text. */
export function mailLeaves(mail: MimePart): MailLeaves {
  const leaves = { texts: [] as string[], statuses: [] as MimePart[], originals: [] as MimePart[] };
  let feedback: MimePart | undefined;
  let room = MAX_TEXT;
  let count = 0;
  const addText = (text: string): void => {
    const kept = text.slice(0, Math.max(room, 0));
    room -= kept.length;
    if (kept.trim() !== '') leaves.texts.push(kept);
  };
  const visit = (part: MimePart, depth: number): void => {
    if (++count > MAX_LEAVES || depth > MAX_DEPTH) return;
    if (STATUS.test(part.type)) leaves.statuses.push(part);
    else if (part.type === 'message/feedback-report') feedback ??= part;
    else if (ORIGINAL.test(part.type)) leaves.originals.push(part);
    else if (part.type.startsWith('multipart/')) {
      const children = childParts(part);
      if (children.length === 0) addText(part.body);
      const texts = leaves.texts.length;
      for (const child of children) {
        // The alternatives have the same content.
        if (part.type === 'multipart/alternative' && leaves.texts.length > texts) break;
        visit(child, depth + 1);
      }
    } else if (part.type === 'text/html') addText(withoutTags(partText(part).slice(0, MAX_TEXT)));
    else if (part.type.startsWith('text/') || depth === 0) addText(partText(part));
  };
  visit(mail, 0);
  return { ...leaves, feedback };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ', '#39': "'" };

/** The text of HTML, each block on a separate line; linear in the length of the text. */
export function withoutTags(html: string): string {
  return html
    .replace(/<(style|script|head)\b[^<>]{0,500}>/gi, '\n<$1>')
    .split(/<(?:style|script)>/i)
    .map((piece, index) => (index === 0 ? piece : piece.replace(/^[^<]{0,20000}/, '')))
    .join('\n')
    .replace(/\n+/g, ' ')
    .replace(/<(?:br|p|div|tr|table|li|h\d)\b[^<>]{0,2000}>|<\/(?:p|div|tr|table|li|h\d)>/gi, '\n')
    .replace(/<(?=[\w/!])[^<>@]{0,2000}>/g, ' ')
    .replace(/<a\b[^<>]{0,2000}>/gi, ' ')
    .replace(/&(lt|gt|amp|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? ' ');
}
