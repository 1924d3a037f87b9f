import { Inject, Injectable } from '@nestjs/common';
import { listEmailRequests, type ReplyOf, type RequestOf, recordEmailRequests } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG, Database, Every, LoggedRequests, type TaskRun } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { EmailServices } from '../email-services/email-services.projection.js';
import * as STATEMENTS from './request-log.sql.js';

/** The requests that clients have sent with the API keys of email services. */
@Injectable()
export class RequestLog {
  readonly #requests: LoggedRequests;

  constructor(
    database: Database,
    private readonly services: EmailServices,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'requestLogDays'>,
  ) {
    this.#requests = new LoggedRequests(database, STATEMENTS);
  }

  @Handles(recordEmailRequests)
  async record({ requests }: RequestOf<typeof recordEmailRequests>): Promise<ReplyOf<typeof recordEmailRequests>> {
    await this.#requests.record(requests);
    return {};
  }

  /** Newest first. Refuses with `service_not_found`. */
  @Handles(listEmailRequests)
  async list(request: RequestOf<typeof listEmailRequests>): Promise<ReplyOf<typeof listEmailRequests>> {
    await this.services.get(request);
    return this.#requests.list(request.service_id, request);
  }

  @Every(10 * 60_000, 'purge logged requests')
  async purge({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.#requests.purge(now, this.config.requestLogDays);
  }
}
