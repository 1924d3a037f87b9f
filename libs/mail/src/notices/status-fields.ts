import { type Fields, type MimePart, partText, readFields } from '../mime-part.js';
import { reportAddress } from '../report-address.js';
import { afterType, fieldText, optional } from './field-values.js';
import type { InboundLimits, RecipientReport } from './inbound-mail.js';

/** The fields of a delivery status notification (RFC 3464 §2). */
export interface StatusFields {
  readonly perMessage: Fields | undefined;
  readonly perRecipient: readonly RecipientReport[];
}

const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);

/** Reads a status part; ignores the last block unless it is complete. */
export function statusFields(part: MimePart, limits: InboundLimits): StatusFields {
  return read(partText(part), part.isComplete, limits);
}

/** Reads status fields inside a text, for mail with a malformed structure. */
export function statusFieldsInText(text: string, limits: InboundLimits): StatusFields {
  const start = text.search(/^(?:Reporting-MTA|Original-Recipient|Final-Recipient)[ \t]*:/im);
  return start < 0 ? { perMessage: undefined, perRecipient: [] } : read(text.slice(start), true, limits);
}

function read(text: string, isComplete: boolean, limits: InboundLimits): StatusFields {
  const blocks = text.split(/\n(?:[ \t]*\n)+/, 10_000);
  if (!isComplete) blocks.pop();
  const ofRecipients = blocks.flatMap(perRecipientBlocks);
  const groups = ofRecipients.map(readFields).filter(fields => fields.size > 0);
  const perRecipient = groups
    .slice(0, limits.maxRecipients + 1)
    .map(recipientReport)
    .filter(report => report !== undefined);
  return { perMessage: groups[0], perRecipient };
}

/** The recipients of a block without empty lines between them: each starts with the same field and has an action. */
function perRecipientBlocks(block: string): string[] {
  const [first] = /^(?:final|original)-recipient(?=[ \t]*:)/im.exec(block) ?? [];
  if (first === undefined) return [block];
  const pieces = block.split(new RegExp(`^(?=${first}[ \\t]*:)`, 'im'));
  const head = pieces[0]?.toLowerCase().startsWith(first.toLowerCase()) ? [] : pieces.splice(0, 1);
  const isSeparable = pieces.length > 1 && pieces.every(piece => /^action[ \t]*:/im.test(piece));
  return isSeparable ? [...head, ...pieces] : [block];
}

function recipientReport(fields: Fields): RecipientReport | undefined {
  const action = actionOf(fields.get('action')?.[0], fieldText(fields, 'status'));
  if (action === undefined) return undefined;
  // Two recipients in one block: the action cannot be attributed to either.
  if ((fields.get('final-recipient')?.length ?? 0) > 1 || (fields.get('action')?.length ?? 0) > 1) return undefined;
  const finalRecipient = reportAddress(fieldText(fields, 'final-recipient') ?? fieldText(fields, 'x-actual-recipient'));
  const originalRecipient = reportAddress(fieldText(fields, 'original-recipient'));
  if (!finalRecipient && !originalRecipient) return undefined;
  return {
    action,
    ...optional('finalRecipient', finalRecipient),
    ...optional('originalRecipient', originalRecipient),
    ...optional('status', /^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.exec(fieldText(fields, 'status') ?? '')?.[0]),
    ...optional('diagnostic', afterType(fieldText(fields, 'diagnostic-code'))),
    ...optional('remoteMta', afterType(fieldText(fields, 'remote-mta'))),
  };
}

/** Some systems omit the action, or use other word forms: `failure`, `fail`, `delay`. */
function actionOf(value: string | undefined, status: string | undefined): RecipientReport['action'] | undefined {
  const word = /^[a-z]+/.exec(value?.toLowerCase() ?? '')?.[0];
  if (word === undefined) return value === undefined && status?.startsWith('5.') ? 'failed' : undefined;
  if (word.startsWith('fail') || word.startsWith('expire')) return 'failed';
  if (word.startsWith('delay')) return 'delayed';
  return ACTIONS.has(word) ? (word as RecipientReport['action']) : undefined;
}
