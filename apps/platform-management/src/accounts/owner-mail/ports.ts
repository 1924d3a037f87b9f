import type { OwnerMailFacts } from '@postern/contracts';

/** Stored events that cause mail to owners, with the fields that the mail uses. */
export type MailedEvent =
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

/** Names and addresses for mail to the owners of a workspace. */
export abstract class OwnerMailSources {
  /** Returns undefined if the event does not exist or its type causes no mail. */
  abstract eventAt(streamId: string, version: number): Promise<MailedEvent | undefined>;
  /** The owners who can log in and have not turned off service mail. */
  abstract ownersOf(workspaceId: string): Promise<OwnerMailFacts['recipients']>;
  /** Returns undefined once the web service is deleted. */
  abstract aboutWebService(webServiceId: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined>;
  /** Returns undefined once the deletion is requested. */
  abstract aboutDatabase(databaseId: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined>;
}
