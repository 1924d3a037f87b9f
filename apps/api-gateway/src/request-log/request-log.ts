import {
  MAX_REPORTED_REQUESTS,
  type ReportedRequest,
  recordEmailRequests,
  recordPlatformRequests,
} from '@postern/contracts';
import type { ServiceLog } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

export type LogOwner = 'email' | 'platform';

const CONTRACTS = { email: recordEmailRequests, platform: recordPlatformRequests } as const;
const FLUSH_MS = 1_000;
/** More requests than this are not logged, so that a flood costs bounded memory; successes leave room for errors. */
const MAX_WAITING = 5_000;
const MAX_SUCCESSES = 4_000;

/** Collects requests of clients and reports them to the services that store them. Requests never wait for it. */
export class RequestLog {
  readonly #waiting: Record<LogOwner, ReportedRequest[]> = { email: [], platform: [] };
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #reporting: Promise<void> = Promise.resolve();

  constructor(
    private readonly services: ServiceClient,
    private readonly log: Pick<ServiceLog, 'warn'>,
  ) {}

  add(owner: LogOwner, request: Omit<ReportedRequest, 'id'>): void {
    const waiting = this.#waiting[owner];
    if (waiting.length >= (request.status < 400 ? MAX_SUCCESSES : MAX_WAITING)) {
      this.#dropped += 1;
      return;
    }
    waiting.push({ ...request, id: uuidv7() });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Reports what has been collected. A report that fails is lost: the log is a help, and no record of facts. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reporting = this.#reporting.then(() => this.#report());
    return this.#reporting;
  }

  async #report(): Promise<void> {
    if (this.#dropped > 0) {
      this.log.warn({ requests: this.#dropped }, 'Requests were not logged, because there were too many');
      this.#dropped = 0;
    }
    for (const owner of ['email', 'platform'] as const) {
      while (this.#waiting[owner].length > 0) {
        const requests = this.#waiting[owner].splice(0, MAX_REPORTED_REQUESTS);
        try {
          await this.services.request(CONTRACTS[owner], { requests }, { correlationId: requests[0]!.request_id });
        } catch (error) {
          this.log.warn({ err: error, requests: requests.length, owner }, 'Requests could not be logged');
        }
      }
    }
  }
}
