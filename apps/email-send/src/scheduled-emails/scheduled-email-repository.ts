import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { MAX_SCHEDULED_EMAILS, Refusal, type ScheduledEmail, type ScheduledEmailOfService } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { EmailRecord } from '../emails/email.js';
import type { EmailDraft, EmailRequestBody } from '../emails/email-draft.js';
import { untilWritten } from '../infrastructure/postgres/until-written.js';
import type { Consequence } from './scheduled-email.js';
import { ScheduledEmailSeal } from './scheduled-email-seal.js';
import {
  ASK_AGAIN,
  CANCEL,
  CLAIM_DUE,
  COUNT_SCHEDULED,
  COUNT_WAITING,
  FIND_CONTENT,
  FIND_SCHEDULED,
  FINISH,
  INSERT_SCHEDULED,
  LIST_SCHEDULED,
  LOCK_SCHEDULED,
  LOCK_SERVICE,
  POSTPONE_SERVICE,
  RELEASE,
  RESCHEDULE,
} from './scheduled-emails.sql.js';

const MAX_WAITING_BYTES = 1024 ** 3;
/** Longer than an attempt can take: it ends 30 seconds after its start, or soon after a relay that filters. */
const LEASE_S = 300;

export interface NewScheduledEmail {
  readonly id: string;
  readonly serviceId: string;
  readonly keyHash: string;
  readonly sendAt: Date;
  readonly at: Date;
  readonly email: EmailRequestBody;
  readonly draft: EmailDraft;
}

/** A message that is due, claimed for one attempt. */
export interface ClaimedEmail {
  readonly id: string;
  readonly serviceId: string;
  readonly keyHash: string;
  readonly sendAt: Date;
  /** The id of its message. Attempts under one id send it once. */
  readonly attemptId: string;
  readonly bytes: number;
  /** Fencing token of this attempt: its outcome is ignored once the message was claimed again. */
  readonly claim: string;
}

interface Row {
  readonly id: string;
  readonly state: ScheduledEmail['state'];
  readonly send_at: Date;
  readonly email_id: string | null;
  readonly error: string | null;
  readonly sealed_summary: string | null;
  readonly created_at: Date;
  readonly record: string | null;
}

interface ClaimRow {
  readonly id: string;
  readonly service_id: string;
  readonly key_hash: string;
  readonly send_at: Date;
  readonly attempt_id: string;
  readonly bytes: number;
  readonly claim: string;
}

export interface ListFilter {
  readonly state?: ScheduledEmail['state'] | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Scheduled messages in PostgreSQL, shared by all replicas: each attempt has a claim with a lease and a fencing token. */
@Injectable()
export class ScheduledEmailRepository {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    private readonly seal: ScheduledEmailSeal,
  ) {}

  /** Stores a message once, however often it is added. Refuses `quota_reached`. */
  async add({ id, serviceId, keyHash, sendAt, at, email, draft }: NewScheduledEmail): Promise<void> {
    const { sealed, summary } = this.seal.seal(id, email);
    const bytes = Buffer.byteLength(sealed);
    const recipients = [...draft.recipients, ...draft.replyTo].map(({ address }) => this.seal.hashOf(address));
    await inTransaction(this.database.pool, async client => {
      await client.query(LOCK_SERVICE, [serviceId]);
      const { rows } = await client.query<{ messages: number; bytes: string }>(COUNT_WAITING, [serviceId]);
      const waiting = rows[0] ?? { messages: 0, bytes: '0' };
      if (waiting.messages >= MAX_SCHEDULED_EMAILS || Number(waiting.bytes) + bytes > MAX_WAITING_BYTES) {
        const known = await client.query(FIND_SCHEDULED, [id, serviceId]);
        if (known.rows.length > 0) return;
        throw tooMany();
      }
      await client.query(INSERT_SCHEDULED, [
        id,
        serviceId,
        keyHash,
        sendAt,
        uuidv7(),
        [...new Set(recipients)],
        bytes,
        sealed,
        summary,
        at,
      ]);
    });
  }

  /** Refuses `scheduled_email_not_found`. */
  async get(serviceId: string, id: string): Promise<ScheduledEmailOfService> {
    const { rows } = await this.database.pool.query<Row>(FIND_SCHEDULED, [id, serviceId]);
    if (!rows[0]) throw notFound();
    return this.#shown(rows[0]);
  }

  async list(serviceId: string, { state, limit, offset }: ListFilter) {
    const { pool } = this.database;
    const { rows } = await pool.query<Row>(LIST_SCHEDULED, [serviceId, state ?? null, limit, offset]);
    const counted = await pool.query<{ total: number }>(COUNT_SCHEDULED, [serviceId, state ?? null]);
    return { items: rows.map(row => this.#shown(row)), total: counted.rows[0]?.total ?? 0, limit, offset };
  }

  /** Refuses `scheduled_email_not_found`, and `scheduled_email_not_waiting` once it is being sent or has ended. */
  async reschedule(serviceId: string, id: string, sendAt: Date): Promise<ScheduledEmailOfService> {
    await inTransaction(this.database.pool, async client => {
      const { rows } = await client.query<{ state: ScheduledEmail['state']; claimed: boolean }>(LOCK_SCHEDULED, [
        id,
        serviceId,
      ]);
      assertWaiting(rows[0]);
      await client.query(RESCHEDULE, [id, sendAt]);
    });
    return this.get(serviceId, id);
  }

  /** Cancels a message; one that is cancelled already stays so. Refuses like `reschedule`. */
  async cancel(serviceId: string, id: string, at: Date): Promise<ScheduledEmailOfService> {
    await inTransaction(this.database.pool, async client => {
      const { rows } = await client.query<{ state: ScheduledEmail['state']; claimed: boolean }>(LOCK_SCHEDULED, [
        id,
        serviceId,
      ]);
      if (rows[0]?.state === 'cancelled') return;
      assertWaiting(rows[0]);
      await client.query(CANCEL, [id, at, null]);
    });
    return this.get(serviceId, id);
  }

  async claimDue(now: Date, atMost: number): Promise<readonly ClaimedEmail[]> {
    const values = [now, atMost, randomUUID(), LEASE_S];
    const { rows } = await this.database.pool.query<ClaimRow>({
      name: 'claim-due-emails',
      text: CLAIM_DUE,
      values,
    });
    return rows.map(row => ({
      id: row.id,
      serviceId: row.service_id,
      keyHash: row.key_hash,
      sendAt: row.send_at,
      attemptId: row.attempt_id,
      bytes: row.bytes,
      claim: row.claim,
    }));
  }

  /**
   * The message of a claim; undefined if the claim is lost.
   * @throws if it cannot be decrypted.
   */
  async contentOf({ id, claim }: ClaimedEmail): Promise<EmailRequestBody | undefined> {
    const { rows } = await this.database.pool.query<{ sealed: string }>(FIND_CONTENT, [id, claim]);
    return rows[0] && this.seal.open(id, rows[0].sealed);
  }

  /** Records that the message has a record. Waits while the database is unavailable, because sending cannot be undone. */
  async finish({ id, claim }: ClaimedEmail, record: EmailRecord, at: Date): Promise<void> {
    const error = record.status === 'sent' ? null : record.message;
    const values = [id, claim, record.status, record.id, error, at];
    await untilWritten(() => this.database.pool.query(FINISH, values));
  }

  /** Records what follows from an attempt without a record. */
  async settle(claimed: ClaimedEmail, consequence: Consequence, at: Date): Promise<void> {
    const { pool } = this.database;
    const { id, claim, serviceId, attemptId } = claimed;
    await untilWritten(async () => {
      switch (consequence.kind) {
        case 'failed':
          return pool.query(FINISH, [
            id,
            claim,
            'failed',
            consequence.mayBeSent ? attemptId : null,
            consequence.error,
            at,
          ]);
        case 'unknown':
          return pool.query(ASK_AGAIN, [id, claim, consequence.at]);
        case 'retry':
          await pool.query(RELEASE, [id, claim, consequence.at, consequence.asNew ? uuidv7() : attemptId]);
          return consequence.forService ? pool.query(POSTPONE_SERVICE, [serviceId, consequence.at]) : undefined;
      }
    });
  }

  #shown({ id, state, send_at, email_id, error, sealed_summary, created_at, record }: Row): ScheduledEmailOfService {
    const { status, message } =
      record === null ? { status: state, message: error } : (JSON.parse(record) as EmailRecord);
    const summary = this.seal.openSummary(id, sealed_summary);
    return {
      id,
      send_at: send_at.toISOString(),
      state: status,
      ...(email_id === null ? {} : { email_id }),
      ...(status === 'failed' || record === null ? errorOf(message) : {}),
      from: summary?.from ?? null,
      to: [...(summary?.to ?? [])],
      subject: summary?.subject ?? null,
      created_at: created_at.toISOString(),
    };
  }
}

const errorOf = (message: string | null): { error?: string } => (message === null ? {} : { error: message });

const notFound = (): Refusal => new Refusal('scheduled_email_not_found', 'there is no scheduled email with this id');

const tooMany = (): Refusal =>
  new Refusal(
    'quota_reached',
    `at most ${MAX_SCHEDULED_EMAILS} scheduled messages per email service, and 1 GiB of them, may wait at the same time. ` +
      'Cancel some, or wait until they are sent.',
  );

const assertWaiting = (
  row: { readonly state: ScheduledEmail['state']; readonly claimed: boolean } | undefined,
): void => {
  if (!row) throw notFound();
  if (row.state !== 'scheduled') {
    throw new Refusal('scheduled_email_not_waiting', `this scheduled email cannot be changed; it is ${row.state}`);
  }
  if (row.claimed) throw new Refusal('scheduled_email_not_waiting', 'this scheduled email is being sent');
};
