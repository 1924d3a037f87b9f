import { Injectable } from '@nestjs/common';
import { type listStatusMails, NOTIFIED_EVENTS, type OwnerMailFacts, type ReplyOf } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { FIND_DATABASE, FIND_EVENT, FIND_RECIPIENTS, FIND_WEB_SERVICE, LIST_STATUS_MAILS } from './owner-mail.sql.js';

/** Stored events that cause mail to owners or notifications, with the fields that these use. */
export type MailedEvent =
  | {
      readonly type: 'platform-management.deployment-live.v1';
      readonly data: { readonly web_service_id: string };
    }
  | {
      readonly type: 'platform-management.deployment-failed.v1';
      readonly data: { readonly web_service_id: string; readonly reason: string };
    }
  | {
      readonly type: 'platform-management.web-service-unanswering.v1';
      readonly data: { readonly web_service_id: string; readonly status_reason: string | null };
    }
  | {
      readonly type: 'platform-management.database-nearly-full.v1';
      readonly data: { readonly database_id: string };
    };

const TYPES = NOTIFIED_EVENTS.map(({ type }) => type);

type Subject = Omit<OwnerMailFacts, 'reason' | 'recipients'> & { readonly workspace_id: string };

/** Reads the event store and the read models. */
@Injectable()
export class OwnerMailSources {
  constructor(private readonly database: Database) {}

  /** Returns undefined if the event does not exist or its type causes no mail. */
  async eventAt(streamId: string, version: number): Promise<MailedEvent | undefined> {
    return (await this.database.pool.query<MailedEvent>(FIND_EVENT, [streamId, version, TYPES])).rows[0];
  }

  /** The owners who can log in and have not turned off service mail. */
  async ownersOf(workspaceId: string): Promise<OwnerMailFacts['recipients']> {
    const { pool } = this.database;
    return (await pool.query<OwnerMailFacts['recipients'][number]>(FIND_RECIPIENTS, [workspaceId])).rows;
  }

  /** The workspaces after an id whose owners want the daily mail. */
  async withStatusMails(after: string | null, limit: number): Promise<ReplyOf<typeof listStatusMails>['workspaces']> {
    const { pool } = this.database;
    type Row = ReplyOf<typeof listStatusMails>['workspaces'][number];
    return (await pool.query<Row>(LIST_STATUS_MAILS, [after, limit])).rows;
  }

  /** Returns undefined once the web service is deleted. */
  aboutWebService(webServiceId: string) {
    return this.#about(FIND_WEB_SERVICE, webServiceId);
  }

  /** Returns undefined once the deletion is requested. */
  aboutDatabase(databaseId: string) {
    return this.#about(FIND_DATABASE, databaseId);
  }

  async #about(statement: string, id: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined> {
    const { pool } = this.database;
    const found = (await pool.query<Subject>(statement, [id])).rows[0];
    if (!found) return undefined;
    return { ...found, recipients: await this.ownersOf(found.workspace_id) };
  }
}
