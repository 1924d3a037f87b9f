import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { fold, Streams } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { BodySeal, type StoredBody } from '../emails/body-seal.js';
import { type EmailFacts, email, emailStream } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import { FIND_BODY } from '../emails/email-rows.sql.js';

/** A message, with its body until its retention is over. */
export interface KeptEmail {
  readonly facts: EmailFacts;
  readonly body: EmailBody | undefined;
}

interface OwnedMessage {
  readonly workspace_id: string;
  readonly service_id: string;
  readonly email_id: string;
}

/** The stored bodies of messages. */
@Injectable()
export class KeptBodies {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly seal: BodySeal,
    private readonly streams: Streams,
  ) {}

  /**
   * A message of the caller's workspace that still has its body. Refuses `service_not_found`, `email_not_found`, and
   * `content_deleted` when its retention is over.
   */
  async keptOf(request: OwnedMessage): Promise<KeptEmail & { readonly body: EmailBody }> {
    await ownedEmailService(this.streams, request);
    const found = await this.find(request.email_id.toLowerCase());
    if (found?.facts.service_id !== request.service_id.toLowerCase()) {
      throw new Refusal('email_not_found', 'there is no email with this id');
    }
    const { facts, body } = found;
    if (!body) throw new Refusal('content_deleted', 'the content of this message is no longer stored');
    return { facts, body };
  }

  /** Undefined if there is no such message. */
  async find(emailId: string): Promise<KeptEmail | undefined> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    if (state.state === 'new') return undefined;
    const { rows } = await this.store.pool.query<StoredBody>(FIND_BODY, [emailId]);
    const [row] = rows;
    return { facts: state.facts, body: row && this.seal.open(emailId, row) };
  }
}
