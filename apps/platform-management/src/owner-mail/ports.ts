import type { OwnerMailFacts } from '@postern/contracts';

/** The stored events that owners are mailed about, as far as the mail needs them. */
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
  /** Undefined for a type that is not mailed about. */
  abstract eventAt(streamId: string, version: number): Promise<MailedEvent | undefined>;
  /** Undefined once it is deleted. */
  abstract aboutWebService(webServiceId: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined>;
  /** Undefined once its deletion was requested. */
  abstract aboutDatabase(databaseId: string): Promise<Omit<OwnerMailFacts, 'reason'> | undefined>;
}
