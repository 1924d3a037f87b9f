import { ErasureNotes, heldGenerations } from '@postern/event-sourcing/postgres';
import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';
import { type FollowedRow, searchText } from '../tracked-emails/tracked-email-row.js';
import { trackedEmails } from '../tracked-emails/tracked-emails.projection.js';
import {
  FIND_BOUNCE_NOTICES,
  FIND_END_OF_EMAILS,
  FIND_FOLLOWED_EMAILS,
  FIND_WAITING_SIGNALS,
  FORGET_BOUNCE_NOTICES,
  FORGET_WAITING_SIGNALS,
  REPLACE_EMAILS,
} from './erasure.sql.js';

/** Emails per statement. */
const BATCH_SIZE = 10_000;
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Erases a recipient where no event of this service says what a row contains: in what email-send said about emails, in the signals that
 * wait for emails, and in bounce notices.
 */
export class RecipientRows extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const ends = await tx.query<{ id: string }>(FIND_END_OF_EMAILS, [from ?? NIL, BATCH_SIZE - 1]);
    const next = ends.rows[0]?.id;
    const emails = await eraseEmails(erasure, from, next, tx);
    if (next !== undefined) return { erased: emails, next };
    return { erased: { ...emails, ...(await eraseSignals(erasure, tx)) } };
  }
}

/** A generation that is being built may have read the old rows, so another one follows it. */
const eraseEmails = async (
  { traces, redact, replacement }: PersonalErasure,
  from: string | undefined,
  to: string | undefined,
  tx: pg.ClientBase,
) => {
  const generations = await heldGenerations(tx, trackedEmails.name);
  const { rows } = await tx.query<Erasable>(FIND_FOLLOWED_EMAILS, [from ?? NIL, to ?? null, traces]);
  const changed = rows.flatMap(row => erased(row, redact) ?? []);
  if (changed.length === 0) return {};
  await tx.query(REPLACE_EMAILS, [JSON.stringify(changed)]);
  if (generations.length > 1) await ErasureNotes.requireRebuilds(tx, replacement, [trackedEmails.name]);
  return { [trackedEmails.tables[0]!]: changed.length };
};

type Erasable = Pick<
  FollowedRow,
  'id' | 'service_id' | 'sender' | 'subject' | 'tags' | 'message_id' | 'recipients' | 'hand_over'
> & { readonly accepted_at: Date };

const erased = (row: Erasable, redact: PersonalErasure['redact']) => {
  const { id, service_id, accepted_at, ...content } = row;
  const redacted = redact(content) as typeof content | undefined;
  if (!redacted) return undefined;
  return {
    id,
    service_id,
    accepted_at,
    ...redacted,
    address: redacted.recipients[0]?.address.toLowerCase() ?? null,
    search: searchText(redacted),
    earlier: furtherAddresses(content),
    others: furtherAddresses(redacted),
  };
};

const furtherAddresses = ({ recipients }: Pick<Erasable, 'recipients'>): string[] =>
  recipients.slice(1).map(({ address }) => address.toLowerCase());

const eraseSignals = async ({ traces, redact }: PersonalErasure, tx: pg.ClientBase) => {
  const { rows } = await tx.query<{ id: string; received: unknown }>(FIND_WAITING_SIGNALS, [traces]);
  const ids = rows.filter(({ received }) => redact(received) !== undefined).map(({ id }) => id);
  await tx.query(FORGET_WAITING_SIGNALS, [ids]);
  const notices = await tx.query<{ id: string; evidence: unknown }>(FIND_BOUNCE_NOTICES, [traces]);
  const noticeIds = notices.rows.filter(({ evidence }) => redact(evidence) !== undefined).map(({ id }) => id);
  await tx.query(FORGET_BOUNCE_NOTICES, [noticeIds]);
  return { waiting_signals: ids.length, bounce_notices: noticeIds.length };
};
