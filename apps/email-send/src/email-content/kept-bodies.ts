import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { BodySeal, type StoredBody } from '../emails/body-seal.js';
import { type EmailFacts, email, emailStream } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import { FIND_BODY } from '../emails/email-rows.sql.js';

/** A message, with its body until its retention is over. */
export interface KeptEmail {
  readonly facts: EmailFacts;
  readonly body: EmailBody | undefined;
}

/** The stored bodies of messages. */
@Injectable()
export class KeptBodies {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly seal: BodySeal,
  ) {}

  /** Undefined if there is no such message. */
  async find(emailId: string): Promise<KeptEmail | undefined> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    if (state.state === 'new') return undefined;
    const { rows } = await this.store.pool.query<StoredBody>(FIND_BODY, [emailId]);
    const [row] = rows;
    return { facts: state.facts, body: row && this.seal.open(emailId, row) };
  }
}
