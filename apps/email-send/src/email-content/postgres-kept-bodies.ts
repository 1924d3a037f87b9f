import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { email, emailStream } from '../emails/email.js';
import { BodySeal, type StoredBody } from '../infrastructure/postgres/body-seal.js';
import { FIND_BODY } from '../infrastructure/postgres/email-rows.sql.js';
import { KeptBodies, type KeptEmail } from './ports.js';

/** Reads and decrypts bodies in PostgreSQL. */
@Injectable()
export class PostgresKeptBodies extends KeptBodies {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly seal: BodySeal,
  ) {
    super();
  }

  async find(emailId: string): Promise<KeptEmail | undefined> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    if (state.state === 'new') return undefined;
    const { rows } = await this.store.pool.query<StoredBody>(FIND_BODY, [emailId]);
    const stored = rows[0];
    const isKept = stored !== undefined && (stored.sealed !== null || stored.content !== null);
    return { facts: state.facts, body: isKept ? this.seal.open(emailId, stored) : undefined };
  }
}
