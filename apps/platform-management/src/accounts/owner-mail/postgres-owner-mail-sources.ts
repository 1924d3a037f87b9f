import { Injectable } from '@nestjs/common';
import { OWNER_MAIL_EVENTS, type OwnerMailFacts } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { FIND_DATABASE, FIND_EVENT, FIND_RECIPIENTS, FIND_WEB_SERVICE } from './owner-mail.sql.js';
import { type MailedEvent, OwnerMailSources } from './ports.js';

const TYPES = OWNER_MAIL_EVENTS.map(({ type }) => type);

type Subject = Omit<OwnerMailFacts, 'reason' | 'recipients'> & { readonly workspace_id: string };

/** Reads the event store and the read models. */
@Injectable()
export class PostgresOwnerMailSources extends OwnerMailSources {
  constructor(private readonly database: Database) {
    super();
  }

  override async eventAt(streamId: string, version: number): Promise<MailedEvent | undefined> {
    return (await this.database.pool.query<MailedEvent>(FIND_EVENT, [streamId, version, TYPES])).rows[0];
  }

  override async ownersOf(workspaceId: string): Promise<OwnerMailFacts['recipients']> {
    const { pool } = this.database;
    return (await pool.query<OwnerMailFacts['recipients'][number]>(FIND_RECIPIENTS, [workspaceId])).rows;
  }

  override aboutWebService(webServiceId: string) {
    return this.#about(FIND_WEB_SERVICE, webServiceId);
  }

  override aboutDatabase(databaseId: string) {
    return this.#about(FIND_DATABASE, databaseId);
  }

  async #about(statement: string, id: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined> {
    const { pool } = this.database;
    const found = (await pool.query<Subject>(statement, [id])).rows[0];
    if (!found) return undefined;
    const { workspace_id, ...names } = found;
    return { ...names, recipients: await this.ownersOf(workspace_id) };
  }
}
