import { getOwnerMailFacts, type OwnerMailFacts, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { type MailedEvent, OwnerMailSources } from './owner-mail-sources.js';

/** Returns the recipients of mail about an event, and the names that the mail and notifications contain. */
@Handles(getOwnerMailFacts)
export class GetOwnerMailFacts {
  constructor(private readonly sources: OwnerMailSources) {}

  async execute({
    stream_id,
    version,
  }: RequestOf<typeof getOwnerMailFacts>): Promise<ReplyOf<typeof getOwnerMailFacts>> {
    const event = await this.sources.eventAt(stream_id, version);
    return { facts: (event && (await this.#factsOf(event))) ?? null };
  }

  async #factsOf({ type, data }: MailedEvent): Promise<OwnerMailFacts | undefined> {
    switch (type) {
      case 'platform-management.deployment-live.v1':
        return withReason(await this.sources.aboutWebService(data.web_service_id), null);
      case 'platform-management.deployment-failed.v1':
        return withReason(await this.sources.aboutWebService(data.web_service_id), data.reason);
      case 'platform-management.web-service-unanswering.v1':
        return withReason(await this.sources.aboutWebService(data.web_service_id), data.status_reason);
      case 'platform-management.database-nearly-full.v1':
        return withReason(await this.sources.aboutDatabase(data.database_id), null);
    }
  }
}

/** Keeps the first line, which the platform writes; the following lines may be build or instance output, which mail must not contain. */
const withReason = (
  facts: Omit<OwnerMailFacts, 'reason'> | undefined,
  reason: string | null,
): OwnerMailFacts | undefined =>
  facts && { ...facts, reason: reason === null ? null : (reason.split('\n')[0] ?? null) };
