import type { HandOverResult, listEmails, RecipientState, RequestOf } from '@postern/contracts';
import type { ListCursor } from '@postern/service-host';
import { type EmailList, type FoundEmails, foundByAddress, foundByTag } from './list-emails.sql.js';

/** The position of a cursor in the order of the list. */
export interface EmailCursor extends ListCursor {
  readonly at: string;
}

/** A list with the values of its parameters. */
export interface PlannedList {
  readonly list: EmailList;
  readonly values: readonly unknown[];
  /** Whether the list has all messages of the service. */
  readonly unfiltered: boolean;
  /** Finds messages if those examined are not enough; `complete` if it finds all. */
  readonly alternative: (FoundEmails & { readonly complete: boolean }) | undefined;
}

/** The conditions of the partial indexes, in the words of the schema. Most messages are delivered. */
const STATE_INDEXES: Readonly<Partial<Record<RecipientState, string>>> = {
  pending: "states && '{pending,handed_over,deferred}'",
  handed_over: "states && '{pending,handed_over,deferred}'",
  deferred: "states && '{pending,handed_over,deferred}'",
  bounced: "states @> '{bounced}'",
  complained: "states @> '{complained}'",
  unknown: "states @> '{unknown}'",
  not_sent: "states @> '{not_sent}'",
};

const UNDER_WAY: ReadonlySet<RecipientState> = new Set(['pending', 'handed_over', 'deferred']);

/** Chooses the index that reads the list in its order; other filters are applied to what it returns. */
export function emailListOf(
  request: Pick<
    RequestOf<typeof listEmails>,
    'service_id' | 'search' | 'state' | 'result' | 'tag' | 'message_id' | 'from' | 'to' | 'limit' | 'offset'
  >,
  cursor: EmailCursor | undefined,
): PlannedList {
  const { state, result, tag, message_id, from, to, limit, offset } = request;
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const service = value(request.service_id);
  const period = [
    from === undefined ? '' : `accepted_at >= ${value(from)}::timestamptz`,
    to === undefined ? '' : `accepted_at < ${value(to)}::timestamptz`,
  ].filter(Boolean);
  const before = cursor?.side === 'before';
  const position = cursor
    ? `(accepted_at, id) ${before ? '>' : '<'} (${value(cursor.at)}::timestamptz, ${value(cursor.id)}::uuid)`
    : '';
  const messageId = message_id?.trim().replace(/^<(.*)>$/, '$1');
  const base = [`service_id = ${service}::uuid`, ...period];
  const rest: string[] = [];
  if (messageId) base.push(`message_id = ${value(messageId)}`);
  else if (state && STATE_INDEXES[state]) base.push(STATE_INDEXES[state]);
  else if (result && result !== 'sent') base.push(withResult(result, value));
  if (state && !isAnswered(state, messageId)) rest.push(`states @> ARRAY[${value(state)}::text]`);
  if (result && !base.some(condition => condition.startsWith('result'))) rest.push(`result = ${value(result)}`);
  const text = request.search?.trim().toLowerCase();
  const hasText = text ? `search LIKE ${value(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}` : '';
  const hasTag = tag ? `tags @> ARRAY[${value(tag)}::text]` : '';
  const list: EmailList = {
    base: base.join(' AND '),
    position,
    rest: [...rest, hasTag, hasText].filter(Boolean).join(' AND '),
    newestFirst: !before,
    limit,
    offset,
  };
  const others = (...further: string[]) => [...base, ...rest, ...further].filter(Boolean).join(' AND ');
  const alternative = alternativeOf();
  return { list, values, unfiltered: base.length === 1 && list.rest === '', alternative };

  function alternativeOf(): PlannedList['alternative'] {
    if (tag) return { found: foundByTag(value(tag)), others: others(hasText), complete: true };
    if (!text) return undefined;
    const fields = {
      service: `${service}::uuid`,
      from: value(text),
      until: value(`${text}\u{10FFFF}`),
      text: hasText,
      period: period.join(' AND ') || 'true',
    };
    return { found: foundByAddress({ ...list, ...fields }), others: others(), complete: false };
  }
}

const withResult = (result: HandOverResult, value: (given: unknown) => string): string =>
  `result = ${value(result)} AND result <> 'sent'`;

/** Whether the index of the list answers the state alone. */
const isAnswered = (state: RecipientState, messageId: string | undefined): boolean =>
  !messageId && STATE_INDEXES[state] !== undefined && !UNDER_WAY.has(state);
