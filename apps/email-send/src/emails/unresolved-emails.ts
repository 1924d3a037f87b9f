import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { EMAIL_EVENTS, email, emailStream } from './email.js';
import type { EmailEvidence } from './ports.js';
import { confirmOutcome } from './postgres-conclusions.js';

/** The messages among some ids whose outcome is unknown or not recorded yet. */
export const FIND_UNRESOLVED = `
  SELECT email_id FROM unresolved_emails WHERE email_id = ANY ($1::uuid[])
  UNION SELECT email_id FROM open_requests AS request
  WHERE email_id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)`;

const ATTEMPTS = 5;

/** Nearly all evidence is about messages known to be sent: one query per batch filters those out. */
@Injectable()
export class UnresolvedEmails {
  constructor(private readonly store: PostgresEventStore) {}

  /** Sets messages with an unknown outcome to `sent`; ignores all others. The same evidence may come repeatedly. */
  async confirm(evidence: readonly EmailEvidence[]): Promise<void> {
    const { rows } = await this.store.pool.query<{ email_id: string }>({
      name: 'find-unresolved-emails',
      text: FIND_UNRESOLVED,
      values: [evidence.map(({ emailId }) => emailId)],
    });
    const unresolved = new Set(rows.map(({ email_id }) => email_id));
    for (const one of evidence) if (unresolved.has(one.emailId)) await this.#confirm(one);
    if (unresolved.size > 0) this.store.announce(EMAIL_EVENTS);
  }

  /** The outcome may be recorded at the same moment; the second writer decides again. */
  async #confirm({ emailId, ...evidence }: EmailEvidence): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const history = await this.store.readStream(emailStream(emailId));
      const [first] = history;
      const state = fold(email, history);
      if (!first || state.state === 'new') return;
      const { facts } = state;
      const { metadata } = first;
      if (await confirmOutcome(this.store, { facts, metadata, state, version: history.length, evidence })) return;
    }
    throw new Error(`email ${emailId} changes faster than its evidence can be recorded`);
  }
}
